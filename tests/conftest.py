"""The tests' own gRPC has the engine that our processes choose. What is started by a test chooses for itself, or is told."""

import os

import pytest

from referee.service.settings import grpc_variables
from referee.wire.grpc_engine import OLDER_ENGINE

with pytest.MonkeyPatch.context() as patch:
    if grpc_variables(os.environ).get("GRPC_EXPERIMENTS") == OLDER_ENGINE:
        patch.setenv("GRPC_EXPERIMENTS", OLDER_ENGINE)
    import grpc  # noqa: F401 - it reads the variable when it is imported
