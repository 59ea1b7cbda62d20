"""A bot's share in the shuffle, and what it notices of a referee that cheats."""

import logging

import pytest
from phaseten.v1 import bot_pb2 as pb

from bots_sdk.session import Session
from bots_sdk.share import Share
from referee.engine.shuffle import NO_NONCE, game_context, nonce_commit, server_commit
from tests.sdk.scripted import Recorder, ScriptedGame, frame, messages, session_of

GAME = bytes(range(16))
CONTEXT = game_context(GAME, 2, 2)
SEED = b"s" * 64
THEIRS = b"t" * 32


def share() -> Share:
    return Share(GAME, 2, 2, 0, server_commit(CONTEXT, SEED))


def shown(mine: Share) -> list[bytes]:
    return [mine.commitment, nonce_commit(CONTEXT, 1, THEIRS)]


def test_an_honest_referee_gives_no_cause_for_complaint() -> None:
    mine = share()
    assert mine.commitment == nonce_commit(CONTEXT, 0, mine.nonce)
    assert mine.reveal(shown(mine)) == mine.nonce
    assert mine.reveal(shown(mine)) == mine.nonce  # again, after a reconnect
    mine.started([mine.nonce, THEIRS])
    mine.ended(SEED)
    assert mine.problem == ""


def test_every_share_is_another_one() -> None:
    assert len({share().nonce for _ in range(50)}) == 50


def test_a_seat_that_takes_no_part_is_no_cheat() -> None:
    mine = share()
    mine.reveal([mine.commitment, b""])
    mine.started([mine.nonce, NO_NONCE])
    assert mine.problem == ""


def test_nothing_is_revealed_to_who_passed_another_commitment_on() -> None:
    mine = share()
    assert mine.reveal([b"x" * 64, b""]) is None
    assert mine.reveal([]) is None
    assert "another commitment" in mine.problem


def test_commitments_that_change_are_noticed() -> None:
    mine = share()
    mine.reveal(shown(mine))
    assert mine.reveal([mine.commitment, b"y" * 64]) is None
    assert "changed" in mine.problem


def test_a_share_that_was_left_out_is_noticed() -> None:
    mine = share()
    mine.reveal(shown(mine))
    mine.started([NO_NONCE, THEIRS])
    assert "left our share out" in mine.problem


def test_a_nonce_that_nobody_had_committed_to_is_noticed() -> None:
    mine = share()
    mine.reveal(shown(mine))
    mine.started([mine.nonce, b"z" * 32])
    assert "seat 1" in mine.problem


def test_another_seed_than_the_one_committed_to_is_noticed() -> None:
    mine = share()
    mine.reveal(shown(mine))
    mine.started([mine.nonce, THEIRS])
    mine.ended(b"S" * 64)
    assert "seed" in mine.problem


def test_a_session_commits_reveals_and_tells_its_bot_of_a_cheat(caplog: pytest.LogCaptureFixture) -> None:
    script, bot = ScriptedGame(), Recorder()
    session = session_of(lambda: bot)
    messages(session)
    session.receive(frame(invite=script.invite()))
    (committed,) = messages(session)
    commitments = [b""] * script.game.seats
    commitments[script.seat] = committed.nonce_commit.commitment
    session.receive(frame(nonce_commits=pb.NonceCommits(game=script.handle, commitments=commitments)))
    (revealed,) = messages(session)
    context = game_context(script.game_id.bytes, 1, script.game.seats)
    assert nonce_commit(context, script.seat, revealed.nonce_reveal.nonce) == committed.nonce_commit.commitment
    session.receive(frame(start=pb.Start(game=script.handle, nonces=[NO_NONCE] * script.game.seats)))
    with caplog.at_level(logging.ERROR, "phaseten"):
        session.receive(frame(game_over=pb.GameOver(game=script.handle, kind=pb.GAME_OVER_KIND_VOID, server_seed=SEED)))
    assert "left our share out" in caplog.text
    assert [result.shuffle_problem for result in bot.results] == ["the referee left our share out of the shuffle"]


def test_the_same_share_is_given_again_after_a_reconnect() -> None:
    script = ScriptedGame()
    session = session_of(Recorder)
    messages(session)
    session.receive(frame(invite=script.invite()))
    (first,) = messages(session)
    again = Session(session.games)
    again.receive(frame(resync=pb.Resync(games=[pb.ResyncGame(invite=script.invite())])))
    second = [message for message in messages(again) if message.WhichOneof("kind") == "nonce_commit"]
    assert [message.nonce_commit for message in second] == [first.nonce_commit]
