"""`phaseten verify`: what it says, and the status it ends with."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from phaseten.v1 import referee_pb2

from referee.engine.events import CardDrawn
from referee.verify.report import Check
from referee.wire.replay import ReplayRecord, encode_replay, replay_digest
from tests.replays.forging import another, change, find, flip
from tests.replays.making import Wanted, make_replay
from tests.replays.tampering import FORGED_FROM, FORGERIES
from tests.sdk.command import Shell


@pytest.fixture(scope="module")
def record() -> ReplayRecord:
    return make_replay(FORGED_FROM["cards of its own"])


def keep(shell: Shell, name: str, data: bytes) -> str:
    (shell.home / name).write_bytes(data)
    return name


def lines_of(text: str) -> dict[str, tuple[str, str]]:
    """Check -> (mark, text), from what is printed of one replay."""
    names = [check.value for check in Check]
    found = {}
    for line in text.splitlines():
        mark, _, rest = line.strip().partition("  ")
        for name in names:
            if rest.startswith(name) and mark in {"ok", "NO", "--", ".."}:
                found[name] = (mark, rest.removeprefix(name).strip())
    return found


def test_a_replay_that_is_fine(shell: Shell, record: ReplayRecord) -> None:
    done = shell.phaseten("verify", keep(shell, "game.replay", encode_replay(record)))
    assert (done.status, done.err) == (0, "")
    assert done.out.startswith("game.replay: fine\n")
    assert str(record.game_id) in done.out
    told = lines_of(done.out)
    assert list(told) == [check.value for check in Check]
    assert [name for name, (mark, _) in told.items() if mark == "--"] == ["sha256", "identity"]
    assert told["events"] == ("ok", f"{len(record.events)} events follow from rules and moves")
    assert told["nonces"][1] == "seats 0, 1, 2 shared in as committed"


def test_a_card_that_was_not_there(shell: Shell, record: ReplayRecord) -> None:
    at, event = find(record, CardDrawn, 20)
    forged = change(record, at, card=another(event.card))
    done = shell.phaseten("verify", keep(shell, "game.replay", encode_replay(forged)))
    assert done.status == 1
    assert done.out.startswith("game.replay: NOT what follows")
    told = lines_of(done.out)
    assert told["commitment"][0] == "ok"
    assert told["events"] == ("NO", f"event {at}, card")
    assert told["shuffles"] == ("..", f"no difference before event {at}")
    assert told["result"] == ("..", "not reached")
    assert f"the replay says  seat {event.seat} draws {another(event.card)} from" in done.out
    assert f"what follows is  seat {event.seat} draws {event.card} from" in done.out


@pytest.mark.parametrize("name", FORGERIES)
def test_no_forgery_ends_well(name: str, record: ReplayRecord, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """In this process: many commands."""
    from bots_sdk import cli

    path = tmp_path / "game.replay"
    forged = FORGERIES[name](record)
    path.write_bytes(encode_replay(forged.record))
    with pytest.raises(SystemExit) as ended:
        cli.main(["verify", str(path)])
    assert ended.value.code == 1
    told = lines_of(capsys.readouterr().out)
    assert [check for check, (mark, _) in told.items() if mark == "NO"] == [forged.check.value]
    if forged.event is not None:
        assert told[forged.check.value][1].startswith(f"event {forged.event}")


def test_files_that_cannot_be_read(shell: Shell, record: ReplayRecord) -> None:
    keep(shell, "fine.replay", encode_replay(record))
    for name, data, why in (
        ("text.replay", b"this is no replay", "these bytes are neither a replay nor a bundle of them"),
        ("empty.replay", b"", "a replay of format 0; this version reads format 1"),
        ("cut.replay", encode_replay(record)[:-3], "these bytes are no replay"),
        ("later.replay", b"\x08\x07", "a replay of format 7; this version reads format 1"),
    ):
        done = shell.phaseten("verify", keep(shell, name, data), "fine.replay")
        assert (done.status, done.err) == (2, f"phaseten: {name}: {why}\n")
        assert done.out == "fine.replay: fine\n"
    missing = shell.phaseten("verify", "nowhere.replay")
    assert (missing.status, missing.err) == (2, "phaseten: nowhere.replay: cannot be read: No such file or directory\n")


def test_the_digest_is_compared_where_it_is_given(shell: Shell, record: ReplayRecord) -> None:
    data = encode_replay(record)
    digest = replay_digest(data)
    keep(shell, "game.replay", data)
    fine = shell.phaseten("verify", "game.replay", "--sha256", digest.hex().upper())
    assert (fine.status, lines_of(fine.out)["sha256"][0]) == (0, "ok")
    other = shell.phaseten("verify", "game.replay", "--sha256", flip(digest).hex())
    assert (other.status, lines_of(other.out)["sha256"][0]) == (1, "NO")
    assert f"the replay says  {digest.hex()}" in other.out


def test_the_commitment_is_compared_where_it_is_given(shell: Shell, record: ReplayRecord) -> None:
    keep(shell, "game.replay", encode_replay(record))
    fine = shell.phaseten("verify", "game.replay", "--commitment", record.commitment.hex())
    assert (fine.status, lines_of(fine.out)["commitment"][1]) == (
        0,
        "belongs to the referee's seed, and was shown before the game",
    )
    other = shell.phaseten("verify", "game.replay", "--commitment", flip(record.commitment).hex())
    assert (other.status, lines_of(other.out)["commitment"][0]) == (1, "NO")


@pytest.mark.parametrize(
    ("option", "value", "says"),
    [
        ("--sha256", "abc", "--sha256 takes 64 hexadecimal digits, not 'abc'"),
        ("--sha256", "g" * 64, "--sha256 takes 64 hexadecimal digits"),
        ("--commitment", "ab" * 32, "--commitment takes 128 hexadecimal digits"),
    ],
)
def test_digits_that_are_none(shell: Shell, record: ReplayRecord, option: str, value: str, says: str) -> None:
    done = shell.phaseten("verify", keep(shell, "game.replay", encode_replay(record)), option, value)
    assert (done.status, done.out) == (2, "")
    assert says in done.err


def test_one_digest_is_not_for_two_files(shell: Shell, record: ReplayRecord) -> None:
    data = encode_replay(record)
    names = [keep(shell, name, data) for name in ("a.replay", "b.replay")]
    done = shell.phaseten("verify", *names, "--sha256", replay_digest(data).hex())
    assert (done.status, done.out) == (2, "")
    assert "here are 2 files" in done.err


def test_a_files_name_may_say_what_it_holds(shell: Shell, record: ReplayRecord) -> None:
    data = encode_replay(record)
    by_digest = shell.phaseten("verify", keep(shell, f"{replay_digest(data).hex()}.replay", data))
    assert lines_of(by_digest.out)["sha256"][0] == "ok"
    by_game = shell.phaseten("verify", keep(shell, f"{record.game_id}.binpb", data))
    assert lines_of(by_game.out)["identity"][0] == "ok"
    lies = (f"{flip(replay_digest(data)).hex()}.replay", f"{record.match_id}.replay")
    for name, check in zip(lies, ("sha256", "identity"), strict=True):
        done = shell.phaseten("verify", keep(shell, name, data))
        assert (done.status, lines_of(done.out)[check][0]) == (1, "NO")


def bundle_of(*records: ReplayRecord, digest: bytes | None = None) -> bytes:
    games = []
    for each in records:
        data = encode_replay(each)
        sha256 = digest or replay_digest(data)
        games.append(referee_pb2.GameRecord(game_id=each.game_id.bytes, replay=data, sha256=sha256))
    attempt = referee_pb2.AttemptRef(match_id=records[0].match_id.bytes, attempt=records[0].attempt)
    return referee_pb2.MatchRecord(attempt=attempt, games=games).SerializeToString()


def test_a_bundle_says_which_games_it_holds(shell: Shell, record: ReplayRecord) -> None:
    first = replace(record, game_index=0)
    done = shell.phaseten("verify", keep(shell, "match.bundle", bundle_of(first)))
    assert done.status == 0
    assert done.out.startswith("match.bundle (game 0): fine\n")
    assert {mark for mark, _ in lines_of(done.out).values()} == {"ok"}
    forged = shell.phaseten("verify", keep(shell, "match.bundle", bundle_of(first, digest=bytes(32))))
    assert (forged.status, lines_of(forged.out)["sha256"][0]) == (1, "NO")
    twice = shell.phaseten("verify", keep(shell, "match.bundle", bundle_of(first, first)))
    assert (twice.status, twice.out.splitlines()[-1]) == (1, "1 fine, 1 not")
    assert "identity      number of the game" in twice.out


def test_a_digest_is_not_for_a_bundle(shell: Shell, record: ReplayRecord) -> None:
    done = shell.phaseten("verify", keep(shell, "match.bundle", bundle_of(record)), "--sha256", "00" * 32)
    assert (done.status, done.out) == (2, "")
    assert "is a bundle" in done.err


def test_folders_and_many_files_are_told_in_short(shell: Shell, record: ReplayRecord) -> None:
    folder = shell.home / "replays"
    folder.mkdir()
    for number in range(3):
        data = encode_replay(make_replay(Wanted(number=number)))
        (folder / f"{number}.replay").write_bytes(data)
    fine = shell.phaseten("verify", "replays")
    assert (fine.status, fine.err) == (0, "")
    assert fine.out == "".join(f"replays/{number}.replay: fine\n" for number in range(3)) + "3 fine, 0 not\n"
    (folder / "2.replay").write_bytes(encode_replay(replace(record, commitment=flip(record.commitment))))
    mixed = shell.phaseten("verify", "replays")
    assert mixed.status == 1
    assert "replays/2.replay: NOT what follows" in mixed.out
    assert mixed.out.endswith("2 fine, 1 not\n")
    long = shell.phaseten("verify", "-v", "replays")
    assert long.out.count("  ok  rules") == 3
    (shell.home / "empty").mkdir()
    none = shell.phaseten("verify", "empty")
    assert (none.status, none.err) == (2, "phaseten: empty holds no replays (*.replay, *.binpb)\n")


def test_machines_are_told_in_lines_of_json(shell: Shell, record: ReplayRecord) -> None:
    keep(shell, "fine.replay", encode_replay(record))
    keep(shell, "forged.replay", encode_replay(replace(record, server_seed=flip(record.server_seed))))
    keep(shell, "text.replay", b"no replay")
    done = shell.phaseten("verify", "--json", "fine.replay", "forged.replay", "text.replay")
    assert (done.status, done.err) == (2, "")
    fine, forged, text = map(json.loads, done.out.splitlines())
    assert [each["verdict"] for each in (fine, forged, text)] == ["fine", "differs", "unreadable"]
    assert [each["file"] for each in (fine, forged, text)] == ["fine.replay", "forged.replay", "text.replay"]
    assert fine["sha256"] == replay_digest(encode_replay(record)).hex()
    assert fine["game"]["game_id"] == str(record.game_id)
    assert [each["check"] for each in fine["checks"]] == [check.value for check in Check]
    assert (fine["difference"], forged["difference"]["check"]) == (None, "commitment")
    assert text["problem"] == "these bytes are neither a replay nor a bundle of them"


def test_what_play_writes_is_fine(shell: Shell) -> None:
    shell.phaseten("play", "greedy", "blind", "--games", "2", "--seed", "1", "--out", "games")
    done = shell.phaseten("verify", "games")
    assert (done.status, done.out.splitlines()[-1]) == (0, "2 fine, 0 not")
