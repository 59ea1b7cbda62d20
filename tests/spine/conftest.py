"""A site with one scripted referee."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.site.builders import REFEREE, patient_valkey
from tests.spine.scripted_referee import ScriptedReferee, listening
from tournament_site import control, live
from tournament_site.addresses import Referee


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """No referee used up its time in an earlier test, and what is published is not dropped where Valkey is slow."""
    monkeypatch.setattr(control, "_hasty_until", {})
    monkeypatch.setattr(live, "connect", patient_valkey)


@pytest.fixture
def referee(settings: Any) -> Iterator[ScriptedReferee]:
    with listening() as scripted:
        pool = (Referee(REFEREE, scripted.address, scripted.address),)
        settings.SITE = replace(settings.SITE, referees=pool)
        yield scripted
