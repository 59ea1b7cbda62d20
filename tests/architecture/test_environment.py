"""deploy/env.example lists every variable that is read, and no other."""

import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress

import pytest

from bots_sdk.settings import Settings as SdkSettings
from deploy.local.settings import Settings as LocalSettings
from referee.service.settings import Settings as RefereeSettings
from referee.service.settings import SettingsError
from tests.architecture.sources import ROOT, product
from tournament_site.settings import read as read_site

EXAMPLE = (ROOT / "deploy" / "env.example").read_text()
NAME = re.compile(r"(?m)^#?\s?((?:PHASETEN_[A-Z0-9_]+|DATABASE_URL))=")
#: names without our prefix that an environment has anyway
USUAL = {"HOME", "XDG_CONFIG_HOME", "NO_COLOR"}


class Asked(Mapping[str, str]):
    """An environment with nothing in it that remembers what it was asked for."""

    def __init__(self) -> None:
        self.names: set[str] = set()

    def __getitem__(self, name: str) -> str:
        self.names.add(name)
        raise KeyError(name)

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


READERS: dict[str, Callable[[Mapping[str, str]], object]] = {
    "bots_sdk": SdkSettings.from_env,
    "deploy.local": LocalSettings.from_env,
    "referee.service": RefereeSettings.from_env,
    "tournament_site": read_site,
}


def asked_by(reader: Callable[[Mapping[str, str]], object]) -> set[str]:
    env = Asked()
    with suppress(SettingsError):
        reader(env)
    assert env.names
    return env.names - USUAL


@pytest.mark.parametrize("reader", READERS.values(), ids=READERS)
def test_every_variable_that_is_read_is_listed(reader: Callable[[Mapping[str, str]], object]) -> None:
    assert asked_by(reader) - set(NAME.findall(EXAMPLE)) == set()


def test_every_variable_that_is_listed_is_read() -> None:
    read = set().union(*(asked_by(reader) for reader in READERS.values()))
    assert set(NAME.findall(EXAMPLE)) - read == set()


def test_no_variable_is_listed_twice() -> None:
    listed = NAME.findall(EXAMPLE)
    assert sorted(listed) == sorted(set(listed))


def test_every_variable_that_code_mentions_is_listed() -> None:
    mentioned = {
        (source.name, name)
        for source in product()
        for name in re.findall(r"PHASETEN_[A-Z][A-Z0-9_]*[A-Z0-9]\b(?!_|\*)", source.text)
    }
    listed = set(NAME.findall(EXAMPLE))
    assert {(file, name) for file, name in mentioned if name not in listed} == set()
