"""Tickets that are stolen, forged, expired or meant for something else, and texts that would like to be more than texts."""

import asyncio
import base64
import json
import time
from contextlib import closing

import pytest
from phaseten.v1 import bot_pb2 as pb
from phaseten.v1 import referee_pb2

from referee.service.seats import NOTE_BYTES
from referee.service.session import NAME_LENGTH
from tests.faults.attacked import Attacked
from tests.faults.http2 import Connection
from tests.faults.players import Player, frame, hello
from tests.faults.test_abuse_bots import outcome
from tests.service.client import bot_claims, control_claims, new_key, order, quick_terms, signed


def plain(part: dict[str, object]) -> str:
    return base64.urlsafe_b64encode(json.dumps(part).encode()).rstrip(b"=").decode()


def unsigned(bot: str, algorithm: str) -> str:
    """A ticket with nobody's signature."""
    return f"{plain({'alg': algorithm, 'typ': 'JWT'})}.{plain(bot_claims(bot))}."


def with_signature_of(ticket: str, bot: str) -> str:
    """Another bot's claims under a true signature."""
    head, _, signature = ticket.split(".")
    return f"{head}.{plain(bot_claims(bot))}.{signature}"


def tickets(referee: Attacked) -> dict[str, tuple[str | None, str]]:
    """Tickets, and why they are refused."""
    good = referee.ticket("thief")
    return {
        "none": (None, "TICKET_MISSING"),
        "nothing": ("", "TICKET_MISSING"),
        "expired": (referee.ticket("thief", exp=int(time.time()) - 1), "TICKET_EXPIRED"),
        "for the control port": (signed(referee.key, control_claims()), "TICKET_WRONG_AUDIENCE"),
        "forged": (signed(new_key(), bot_claims("thief")), "TICKET_INVALID"),
        "forged, with the key's true name": (
            signed(new_key(), bot_claims("thief"), kid=referee.key_id),
            "TICKET_INVALID",
        ),
        "with another bot's name": (with_signature_of(good, "victim"), "TICKET_INVALID"),
        "alg none": (unsigned("thief", "none"), "TICKET_INVALID"),
        "alg HS256": (unsigned("thief", "HS256"), "TICKET_INVALID"),
        "cut": (good[:-4], "TICKET_INVALID"),
        "long": ("x" * 7000, "TICKET_INVALID"),
        "not a ticket": ("\x7f..'\"--", "TICKET_INVALID"),
        "without a version": (referee.ticket("thief", version_id=None), "TICKET_INVALID"),
    }


async def refusal(connection: Connection, ticket: str | None) -> str:
    stream = connection.begin(ticket)
    connection.say(stream, hello())
    await connection.until(lambda one: stream in one.resets)
    return connection.reason(stream)


async def until_refusals_are_logged(referee: Attacked) -> None:
    """After a flood of them the log has to recover."""
    in_a_row = 0
    with closing(await referee.dial()) as connection:
        while in_a_row < 20:
            known = len(referee.log)
            await refusal(connection, None)
            await asyncio.sleep(0.05)
            in_a_row = in_a_row + 1 if len(referee.log) > known else 0


async def test_nobody_gets_in_with_what_is_no_ticket(referee: Attacked) -> None:
    """Each is refused with its reason, to the caller and in the log, and the bots that it names stay where they are."""
    found: dict[str, str] = {}
    await until_refusals_are_logged(referee)
    known = len(referee.log)
    victim, thief = await referee.player("victim"), await referee.player("thief")
    chosen = tickets(referee)

    async def attack() -> None:
        with closing(await referee.dial()) as connection:
            for name, (ticket, _) in chosen.items():
                found[name] = await refusal(connection, ticket)

    await referee.survives(attack)
    assert found == {name: reason for name, (_, reason) in chosen.items()}
    told = [line for line in referee.log[known:] if line["event"] == "call refused"]
    first = told[: 2 * len(found)]  # of later rounds the log, which is not to be flooded, may hold some lines only
    assert [line["reason"] for line in first] == list(found.values()) * (len(first) // len(found))
    assert told
    assert {line["level"] for line in told} == {"warning"}
    assert all(line["peer"].startswith("ipv4:127.0.0.1:") for line in told)
    text = json.dumps(referee.log)
    assert not any(ticket and ticket in text for ticket, _ in chosen.values())
    for player in (victim, thief):
        assert not player.closed
        assert not player.trailers
        player.close()


async def test_refusals_are_counted_but_do_not_flood_the_log(referee: Attacked) -> None:
    async def count() -> float:
        return (await referee.metrics()).get('phaseten_referee_calls_refused_total{reason="TICKET_EXPIRED"}', 0.0)

    before, known, start = await count(), len(referee.log), time.monotonic()
    stale = referee.ticket("thief", exp=1)
    with closing(await referee.dial()) as connection:
        for _ in range(1500):
            await refusal(connection, stale)
    assert await count() - before == 1500
    told = [line for line in referee.log[known:] if line["event"] == "call refused"]
    assert len(told) <= 200 + 50 * (time.monotonic() - start)
    assert sum(line["untold"] for line in told) <= 1500 - len(told)


async def test_the_newest_session_of_a_ticket_wins(referee: Attacked) -> None:
    """A hundred times the same ticket, each on a connection of its own: one session is left, the last."""
    ticket = referee.ticket("double")

    async def attack() -> None:
        doubles: list[Player] = []
        for _ in range(100):
            double = await Player.open(referee.port)
            doubles.append(double)
            await double.enter(ticket)
        for double in doubles[:-1]:
            await double.until(lambda one: one.trailers)
            assert double.reason(double.stream) == "SUPERSEDED"
        assert not doubles[-1].trailers
        listed = await referee.control.ListSessions(referee_pb2.ListSessionsRequest())
        assert [session.bot for session in listed.sessions].count("double") == 1
        for double in doubles:
            double.close()

    await referee.survives(attack)


MARKS = "\u202e<script>alert(1)</script>\u2066\u200b\x07\x1b[31m\n\u2028{{7*7}}'\";--\U0001d54e"


class Writer(Player):
    """Writes a long and nasty note with every answer."""

    def answer(self, question: pb.Question) -> list[pb.BotMessage]:
        (answer,) = super().answer(question)
        answer.answer.note = MARKS * 50
        return [answer]


@pytest.mark.timeout(120)
async def test_texts_are_cut_and_no_more_than_texts(referee: Attacked) -> None:
    """Names come in tickets and orders, from the site; Hello and notes come from the bot. They come out as they are, cut."""
    known = len(referee.log)

    async def attack() -> None:
        writer, reader = await Writer.open(referee.port), await referee.player("reader")
        writer.greet()
        writer.stream = writer.begin(referee.ticket("writer", bot_name=MARKS, version="v1\n\u202e"))
        greeting = pb.Hello(protocol=1, sdk=MARKS * 30, language=MARKS, capacity=64)
        writer.say(writer.stream, frame(pb.BotMessage(hello=greeting)))
        await writer.until(lambda one: one.welcomed)
        listed = await referee.control.ListSessions(referee_pb2.ListSessionsRequest())
        (shown,) = [session for session in listed.sessions if session.bot == "writer"]
        assert shown.sdk == (MARKS * 30)[:NAME_LENGTH]
        assert shown.version == "v1\n\u202e"
        played = order("writer", "reader", terms=quick_terms(max_deals=1, max_turns_per_deal=3))
        played.bots[0].name = MARKS
        await referee.play(played)
        notes = [answer.note for replay in await outcome(referee, played) for answer in replay.answers if answer.note]
        assert notes
        for note in notes:
            assert (MARKS * 50).startswith(note)
            assert NOTE_BYTES - 4 < len(note.encode()) <= NOTE_BYTES
        assert all(
            replay.seats[seat].name in {MARKS, "Reader"} for replay in await outcome(referee, played) for seat in (0, 1)
        )
        for player in (writer, reader):
            player.close()

    await referee.survives(attack)
    opened = [line for line in referee.log[known:] if line["event"] == "session opened" and line["bot"] == "writer"]
    assert {line["version"] for line in opened} == {"v1\n\u202e"}


async def test_a_text_that_is_none_ends_the_session(referee: Attacked) -> None:
    """Strings are UTF-8: bytes that are not come from no schema, and are no frame."""
    note = pb.ConnectRequest(messages=[pb.BotMessage(answer=pb.Answer(game=1, id=1, note="????"))]).SerializeToString()
    connection, stream = await referee.bot("scribbler")
    with closing(connection):
        connection.say(stream, note.replace(b"????", b"\xff\xfe\xc3\x28"))
        await connection.until(lambda one: stream in one.trailers)
        assert connection.reason(stream) == "FRAME_MALFORMED"
