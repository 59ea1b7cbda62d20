"""The browser's verifier says what the command says: about real games, forged ones, and bytes that are broken.

It runs under Node where there is one, in a Chromium otherwise; where there are both, the browser is asked a part of it too.
"""

import json
import random
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from enum import Enum
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from phaseten.v1 import game_pb2, replay_pb2, rules_pb2

from deploy.local.settings import Settings
from referee.engine.game import Game
from referee.engine.moves import Move
from referee.engine.presets import PRESETS
from referee.engine.ruleset import Advance, Ruleset, Terms
from referee.verify.replays import verify_replay
from referee.verify.words import words
from referee.wire.replay import encode_replay
from tests.e2e.conftest import find_browser
from tests.players import greedy, random_player
from tests.replays.javascript import JavaScript, in_browser, running
from tests.replays.making import Wanted, make_replay
from tests.replays.mutating import mutate
from tests.replays.tampering import FORGED_FROM, FORGERIES

TESTS = Path(__file__).parents[1]
VECTORS = json.loads((TESTS / "engine" / "data" / "shuffle_vectors.json").read_text())
GOLDEN = sorted((TESTS / "golden").glob("*/*.replay"))
SHORT = Terms(first_dealer="seeded", max_turns_per_deal=40, max_deals=6)
LONG = Terms(max_turns_per_deal=100, max_deals=30)


def both(javascript: JavaScript, data: bytes) -> dict[str, Any]:
    """The report of both about a replay, which must be one and the same."""
    mine = verify_replay(data).plain()
    assert javascript.verify(data) == mine
    return mine


# The tables that are written down twice


def snake(name: str) -> str:
    return re.sub(r"([A-Z]|(?<=[a-z])(?=\d))", r"_\1", name).lower().removeprefix("_")


def test_the_schema_is_the_protos(javascript):
    schema = javascript.ask("tables")["schema"]
    wanted: dict[str, dict[str, Any]] = {}
    waiting = [replay_pb2.Replay.DESCRIPTOR]
    while waiting:
        message = waiting.pop()
        if message.name in wanted:
            continue
        wanted[message.name] = {str(field.number): _described(field) for field in message.fields}
        waiting += [field.message_type for field in message.fields if field.message_type is not None]
    mine = {
        message: {number: {**field, "name": snake(field["name"])} for number, field in fields.items()}
        for message, fields in schema.items()
    }
    assert {
        name: {n: {**f, "oneof": f["oneof"] and snake(f["oneof"])} for n, f in fs.items()} for name, fs in mine.items()
    } == wanted


def _described(field: Any) -> dict[str, Any]:
    kinds = {field.TYPE_UINT32: "uint32", field.TYPE_UINT64: "uint64", field.TYPE_BOOL: "bool", field.TYPE_STRING: "string"}
    kinds |= {field.TYPE_BYTES: "bytes", field.TYPE_ENUM: "enum"}
    oneof = field.containing_oneof
    lone = oneof is not None and oneof.name.startswith("_")  # how proto3 says `optional`
    return {
        "name": field.name,
        "type": field.message_type.name if field.type == field.TYPE_MESSAGE else kinds[field.type],
        "repeated": field.is_repeated,
        "optional": lone,
        "oneof": oneof.name if oneof is not None and not lone else None,
    }


def test_the_enums_are_the_protos(javascript):
    for name, values in javascript.ask("tables")["enums"].items():
        schema = getattr(game_pb2, name, None) or getattr(rules_pb2, name)
        prefix = snake(name).upper()
        expected = {f"{prefix}_{value.upper()}": number for number, value in enumerate(values) if number}
        assert dict(schema.items()) == {f"{prefix}_UNSPECIFIED": 0, **expected}


def test_the_presets_are_the_published_rules(javascript):
    found = javascript.ask("tables")["presets"]
    assert {name: {snake(option): value for option, value in rules.items()} for name, rules in found.items()} == {
        name: _plain_rules(rules) for name, rules in PRESETS.items()
    }


def _plain_rules(rules: Ruleset) -> dict[str, Any]:
    points = rules.card_points
    plain = {name: getattr(rules, name) for name in Ruleset.__dataclass_fields__}
    plain = {name: value.value if isinstance(value, Enum) else value for name, value in plain.items()}
    prices = {"low": points.low, "high": points.high, "skip": points.skip, "wild": points.wild}
    return {**plain, "phases": list(rules.phases), "card_points": prices}


# The public vectors


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_the_vectors(javascript, vector):
    found = javascript.ask(
        "seeds",
        id=UUID(vector["match_id"]).hex,
        attempt=vector["attempt"],
        seats=vector["seats"],
        seed=vector["server_seed"],
        nonces=vector["nonces"],
    )
    assert found == {
        "commitment": vector["server_commit"],
        "nonceCommits": vector["nonce_commits"],
        "key": vector["match_key"],
    }
    assert javascript.ask("firstDealer", key=vector["match_key"], seats=vector["seats"]) == vector["first_dealer"]
    for shuffle in vector["shuffles"]:
        order = javascript.ask("shuffle", key=vector["match_key"], number=shuffle["index"], cards=shuffle["input"])
        assert order == shuffle["deck"]


# Whole games


@pytest.mark.parametrize("name", PRESETS)
def test_games_by_every_published_rule_set_are_fine(javascript, name):
    """By players that are sensible, now and then clumsy, late or gone."""
    ends: Counter[str] = Counter()
    for number, seats in enumerate((2, 2, 3, 4, 5, 6)):
        terms = SHORT if number % 2 else LONG
        wanted = Wanted(
            rules=PRESETS[name], terms=terms, seats=seats, number=number, mirrored=seats == 3, apart=(1,), late=0.004
        )
        record = make_replay(wanted)
        report = both(javascript, encode_replay(record))
        assert report["verdict"] == "fine", report["difference"]
        ends[record.result.cause.name] += 1
    assert ends


def _random(game: Game, rng: random.Random) -> Move:
    assert game.to_move is not None
    return random_player(rng.randrange)(game.view(game.to_move), game.ruleset)


def _greedy(game: Game) -> Move:
    assert game.to_move is not None
    return greedy(game.view(game.to_move), game.ruleset)


@pytest.mark.parametrize("name", PRESETS)
def test_games_of_the_engines_own_players_are_fine(javascript, name):
    rules = PRESETS[name]
    for seats in (2, 3, 4, 5, 6):
        rng = random.Random(f"{name} {seats}")
        policies: list[Callable[[Game], Move]] = [lambda game, rng=rng: _random(game, rng)]  # type: ignore[misc]  # a default
        if rules.advance is not Advance.FREE_CHOICE:
            policies.append(_greedy)  # it aims at one phase
        for policy in policies:
            record = make_replay(Wanted(rules=rules, terms=SHORT, seats=seats), policy)
            report = both(javascript, encode_replay(record))
            assert report["verdict"] == "fine", report["difference"]


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: f"{path.parent.name} {path.stem}")
def test_replays_of_releases_are_fine(javascript, path):
    assert both(javascript, path.read_bytes())["verdict"] == "fine"


def test_who_kept_a_share_back_has_forfeited(javascript):
    record = make_replay(Wanted(seats=4, number=5, silent=(2,)))
    assert both(javascript, encode_replay(record))["verdict"] == "fine"
    events = tuple(event for event in record.events if getattr(event, "cause", None) is not record.result.forfeits[2])
    report = both(javascript, encode_replay(replace(record, events=events)))
    assert report["difference"]["check"] == "nonces"


def test_events_are_told_in_the_same_words(javascript):
    record = make_replay(Wanted(rules=replace(PRESETS["official"], name="mine", wild_replaceable=True), seats=4, late=0.01))
    assert len({type(event) for event in record.events}) > 10
    assert javascript.ask("words", data=encode_replay(record)) == [words(event) for event in record.events]


# Forgeries


@pytest.mark.parametrize("source", FORGED_FROM)
def test_forgeries_are_found_as_the_command_finds_them(javascript, source):
    record = make_replay(FORGED_FROM[source])
    for name, forgery in FORGERIES.items():
        forged = forgery(record)
        report = both(javascript, encode_replay(forged.record))
        found = report["difference"]
        assert found, name
        assert found["check"] == forged.check.value, name
        assert forged.event in {None, found["event"]}, name


def test_what_is_known_from_elsewhere_is_compared(javascript):
    record = make_replay(Wanted(number=4))
    data = encode_replay(record)
    sha256 = verify_replay(data).sha256
    known = {"sha256": sha256, "commitment": record.commitment.hex(), "gameId": str(record.game_id)}
    fine = javascript.verify(data, **known)
    assert {each["state"] for each in fine["checks"]} == {"fine"}
    for name, other, check in (
        ("sha256", "00" * 32, "sha256"),
        ("gameId", str(UUID(int=5)), "identity"),
        ("commitment", "00" * 64, "commitment"),
    ):
        assert javascript.verify(data, **{**known, name: other})["difference"]["check"] == check


@pytest.mark.parametrize("seed", range(3))
def test_random_changes_are_found_as_the_command_finds_them(javascript, seed):
    rng = random.Random(seed)
    verdicts: Counter[str] = Counter()
    for number in range(6):
        rules = PRESETS[rng.choice(list(PRESETS))]
        wanted = Wanted(rules=rules, seats=rng.randint(2, 6), number=number, late=0.01, leaves=0.001, terms=SHORT)
        record = make_replay(wanted)
        for _ in range(30):
            try:
                data = encode_replay(mutate(record, rng))
            except (ValueError, KeyError):  # a change that no message can hold
                continue
            verdicts[both(javascript, data)["verdict"]] += 1
    assert verdicts["differs"] > 150


def test_broken_bytes_are_read_as_protobuf_reads_them(javascript):
    """Bytes changed, dropped, inserted: what protobuf refuses is refused, what it reads is read alike."""
    rng = random.Random(7)
    whole = encode_replay(make_replay(Wanted(terms=Terms(max_turns_per_deal=5, max_deals=2))))
    verdicts: Counter[str] = Counter()
    for _ in range(1500):
        data = bytearray(whole)
        for _ in range(rng.choice((1, 1, 1, 2, 3))):
            at = rng.randrange(rng.choice((len(data), min(len(data), 900))))
            match rng.randrange(4):
                case 0:
                    data[at] ^= 1 << rng.randrange(8)
                case 1:
                    data[at] = rng.randrange(256)
                case 2:
                    del data[at]
                case _:
                    data.insert(at, rng.randrange(256))
        mine, theirs = verify_replay(bytes(data)).plain(), javascript.verify(bytes(data))
        # Of several things that cannot be read, either may be named.
        named = {"problem": bool(mine["problem"])}
        assert {**theirs, "problem": bool(theirs["problem"])} == {**mine, **named}
        verdicts[mine["verdict"]] += 1
    assert min(verdicts[verdict] for verdict in ("fine", "differs", "unreadable")) > 10


def test_unknown_fields_and_split_messages_are_read_as_protobuf_reads_them(javascript):
    whole = encode_replay(make_replay(Wanted(terms=SHORT)))
    more = (
        b"\xa0\x06\x01",  # field 100, a number
        b"\xa1\x06" + bytes(8),  # field 100, eight bytes
        b"\xa5\x06" + bytes(4),  # four bytes
        b"\xa2\x06\x02hi",  # a string
        b"\xa3\x06\x08\x01\xa4\x06",  # a group
        b"\x62\x02\x38\x63",  # the result once more: another number of deals
        b"\x18\xe3\x80\x80\x80\x80\x01",  # the attempt once more, in 36 bits of which 32 count
        b"\x80\x01\x01",  # mirrored
    )
    verdicts = Counter(both(javascript, whole + extra)["verdict"] for extra in more)
    assert verdicts == {"fine": 5, "differs": 3}
    for extra in (b"\xa4\x06", b"\x00", b"\xa3\x06\x08\x01", b"\xa7\x06", b"\x62\x7f\x01", b"\xff" * 11):
        assert both(javascript, whole + extra)["verdict"] == "unreadable"


# In a browser


def test_a_browser_says_the_same(javascript, tmp_path):
    if javascript.name == "browser":
        pytest.skip("all tests here have run in it")
    pytest.importorskip("playwright.sync_api", reason="install requirements/e2e.lock for the browser tests")
    record = make_replay(FORGED_FROM["mirrored"])
    forged = [encode_replay(forgery(record).record) for forgery in FORGERIES.values()]
    with running("browser", in_browser(find_browser(Settings.from_env()), tmp_path / "modules")) as browser:
        for data in (*(path.read_bytes() for path in GOLDEN), *forged, b"no replay"):
            both(browser, data)
        assert browser.ask("tables") == javascript.ask("tables")
