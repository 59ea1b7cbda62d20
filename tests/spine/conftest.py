"""A site with one scripted referee."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from tests.site.builders import REFEREE
from tests.spine.scripted_referee import ScriptedReferee, listening
from tournament_site.addresses import Referee


@pytest.fixture
def referee(settings: Any) -> Iterator[ScriptedReferee]:
    with listening() as scripted:
        pool = (Referee(REFEREE, scripted.address, scripted.address),)
        settings.SITE = replace(settings.SITE, referees=pool)
        yield scripted
