"""What the supervisor knows of a service: a value, nothing that runs."""

import signal
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from deploy.local.launch import AS_WE_ARE, Identity


@dataclass(frozen=True, slots=True)
class Service:
    """A process to start, and what it takes to call it started and to stop it."""

    name: str
    command: tuple[str, ...]
    #: the whole environment of the process
    env: Mapping[str, str] = field(default_factory=dict)
    folder: Path | None = None
    #: answers at once whether the service can be used; None: as soon as it lives
    ready: Callable[[], bool] | None = None
    #: seconds to become ready
    patience: float = 60.0
    stop_signal: signal.Signals = signal.SIGTERM
    #: seconds from the stop signal to SIGKILL
    grace: float = 5.0
    #: what the kernel sends it when we die without stopping it; SIGKILL for one that may ignore another
    death_signal: signal.Signals = signal.SIGTERM
    identity: Identity = AS_WE_ARE
