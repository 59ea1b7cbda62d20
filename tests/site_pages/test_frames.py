"""A replay as a film: what it shows is what the engine says, at every event."""

import json
import unicodedata
import uuid
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from referee.engine import events as ev
from referee.engine.cards import parse_card
from referee.engine.events import DealEnd, FaultKind, ForfeitCause, GameEnd, TableMeld
from referee.engine.game import fold
from referee.engine.moves import End, Seat
from referee.engine.ruleset import PHASES, GoalKind
from referee.wire.errors import MalformedMessage
from referee.wire.replay import AnswerRecord, ReplayRecord, SeatInfo
from tests.e2e.games import Table, draw_secrets, public_events, table_of
from tournament_site.matches import frames

SEAT0, SEAT1 = Seat(0), Seat(1)


def record_of(table: Table, seats: int) -> ReplayRecord:
    result = table.game.result
    assert result is not None
    return ReplayRecord(
        match_id=uuid.UUID(int=1),
        attempt=1,
        game_id=uuid.UUID(int=2),
        game_index=0,
        seats=tuple(SeatInfo(f"bot-{seat}", f"Bot {seat}", "1", seat) for seat in range(seats)),
        server_seed=b"",
        commitment=b"",
        nonces=(),
        events=tuple(table.game.log),
        answers=tuple(table.answers),
        result=result,
        started_ms=0,
        ended_ms=0,
        referee="",
    )


@pytest.fixture(scope="module", params=[2, 4, 6])
def record(request) -> ReplayRecord:
    table = table_of(request.param, draw_secrets(uuid.UUID(int=5), 1, request.param, seed=b"7" * 64), clumsy=frozenset({1}))
    table.play()
    return record_of(table, request.param)


def whole(film: frames.Film) -> list[dict[str, Any]]:
    """The frames with everything that they leave out because it stayed as it was, as the browser rebuilds them."""
    tables: list[dict[str, Any]] = []
    table: dict[str, Any] = {}
    for frame in film.frames:
        table = dict(table)
        for name in ("hands", "melds", "facts"):
            news = frame.get(name)
            if isinstance(news, list):
                table[name] = news
            elif news is not None:
                table[name] = [news.get(str(seat), old) for seat, old in enumerate(table[name])]
        table |= {name: frame[name] for name in ("stock", "discard", "deal", "turn", "next") if name in frame}
        tables.append(table)
    return tables


def test_there_is_a_frame_for_every_event(record):
    film = frames.film(record)
    assert len(film.frames) == len(record.events)
    assert [frame["k"] for frame in film.frames] == [frames.kind_of(event) for event in record.events]


def test_the_frames_show_what_the_log_adds_up_to(record):
    tables = whole(frames.film(record))
    for number in {1, 2, 3, 17, 60, len(tables) // 2, len(tables) - 1}:
        state = fold(record.events[: number + 1])
        table = tables[number]
        assert table["hands"] == state.hands
        assert table["stock"] == len(state.stock)
        assert table["discard"] == [len(state.discard), state.discard[-4:]]
        assert [facts[3] for facts in table["facts"]] == state.totals
        assert [facts[1] for facts in table["facts"]] == state.completed
        assert [[meld[2] for meld in melds] for melds in table["melds"]] == [
            [list(meld.cards) for meld in melds] for melds in state.melds
        ]


def test_every_card_is_somewhere_at_every_event(record):
    for table in whole(frames.film(record))[1:]:
        seen = sum(map(len, table["hands"])) + table["stock"] + table["discard"][0]
        seen += sum(len(meld[2]) for melds in table["melds"] for meld in melds)
        seen += sum(facts[4] for facts in table["facts"])  # a Skip that lies before a seat
        assert seen == 108


def test_only_unseen_draws_are_secret(record):
    for frame, event in zip(frames.film(record).frames, record.events, strict=True):
        assert ("secret" in frame) == (isinstance(event, ev.CardDrawn) and not event.from_discard)


def test_clocks_and_notes_stand_where_the_answer_took_effect(record):
    film = frames.film(record)
    clocks = {number: frame["clock"] for number, frame in enumerate(film.frames) if "clock" in frame}
    assert clocks == {each.event: [each.think_ms, each.lag_ms, each.bank_ms] for each in record.answers}
    notes = {number: frame["note"] for number, frame in enumerate(film.frames) if "note" in frame}
    assert notes == {each.event: each.note for each in record.answers if each.note}


def test_chapters_are_the_deals_and_hold_all_their_moves(record):
    chapters = frames.film(record).chapters
    starts = [number for number, event in enumerate(record.events) if isinstance(event, ev.DealStarted)]
    assert [chapter.frame for chapter in chapters] == starts
    assert [move.frame for chapter in chapters for move in chapter.moves] == list(range(starts[0], len(record.events)))
    finished = [chapter for chapter in chapters if chapter.totals]
    assert len(finished) >= len(chapters) - 1  # forfeits end a game in the middle of a deal
    assert finished[-1].totals == record.result.totals
    for chapter in finished:
        assert len(chapter.totals) == len(record.seats)
        if chapter.out is not None:
            assert chapter.penalties[chapter.out] == 0


def test_the_film_is_json_and_small(record):
    text = json.dumps(frames.film_json(record), separators=(",", ":"))
    assert len(text) < 260 * len(record.events) + 10_000
    assert json.loads(text)["seats"][0] == {"bot": "bot-0", "name": "Bot 0", "version": "1"}


def test_a_live_table_has_no_card_that_is_hidden():
    table = table_of(3, draw_secrets(uuid.UUID(int=6), 1, 3, seed=b"8" * 64))
    table.play(90)
    live = frames.live_json(1, table.game.public_view(), public_events(table.game))
    assert live["table"]["hands"] == [len(table.game.view(Seat(seat)).hand) for seat in range(3)]
    draws = [move for move in live["moves"] if move["k"] == "draw" and "from the discards" not in str(move["t"])]
    assert draws
    assert all(move["t"] == ["draws a card"] for move in draws)
    assert live["over"] is False


@pytest.mark.parametrize("changes", [{"events": ()}, {"events": "without start"}, {"seats": ()}])
def test_a_log_that_makes_no_sense_is_malformed(record, changes):
    if changes.get("events") == "without start":
        changes = {"events": record.events[1:]}
    with pytest.raises(MalformedMessage):
        frames.film(replace(record, **changes))


def test_a_log_that_does_not_follow_is_malformed(record):
    thrown = ev.CardDiscarded(SEAT0, parse_card("W"))
    with pytest.raises(MalformedMessage):
        frames.film(replace(record, events=(record.events[0], thrown, thrown)))


MELD = TableMeld(GoalKind.SET, (parse_card("R7"), parse_card("W"), parse_card("G7")), 7)
R7, W = int(parse_card("R7")), int(parse_card("W"))
LINES = [
    (ev.CardDrawn(SEAT0, parse_card("R7"), from_discard=False), "draw", ["draws ", R7]),
    (ev.CardDrawn(SEAT0, parse_card("R7"), from_discard=True), "draw", ["takes ", R7, " from the discards"]),
    (ev.DrawSeen(SEAT0, None), "draw", ["draws a card"]),
    (ev.DrawSeen(SEAT0, parse_card("R7")), "draw", ["takes ", R7, " from the discards"]),
    (ev.PhaseLaid(SEAT0, 1, (MELD, MELD)), "lay", ["lays phase 1: ", R7, W, R7 + 24, " and ", R7, W, R7 + 24]),
    (ev.CardHit(SEAT0, SEAT1, 0, parse_card("R7"), End.LOW), "hit", ["hits ", R7, " on a meld of ", [1]]),
    (ev.CardHit(SEAT0, SEAT0, 0, parse_card("R7"), None), "hit", ["hits ", R7, " on its own meld"]),
    (ev.CardDiscarded(SEAT0, parse_card("W")), "discard", ["discards ", W]),
    (ev.SkipPlayed(SEAT0, SEAT1), "skip", ["plays a Skip against ", [1]]),
    (ev.TurnSkipped(SEAT0, by_start_card=False), "skipped", ["misses a turn", ""]),
    (ev.TurnSkipped(SEAT0, by_start_card=True), "skipped", ["misses a turn", " (the start card is a Skip)"]),
    (ev.StockRebuilt((parse_card("R7"),)), "shuffle", ["The discards are shuffled into a new draw pile of 1"]),
    (ev.StockRenewed(9), "shuffle", ["The discards are shuffled into a new draw pile of 9"]),
    (
        ev.GameEnded(GameEnd.PHASES_DONE, (1, 3, 1)),
        "over",
        ["The game is over, all phases are done: ", [0], ", ", [2], " first"],
    ),
    (ev.DealEnded(DealEnd.WENT_OUT, SEAT1, (5, 0), (5, 0), (0, 1)), "end", ["The deal ends: ", [1], " went out"]),
    (ev.DealEnded(DealEnd.TURN_CAP, None, (5, 0), (5, 0), (0, 1)), "end", ["The deal ends: the deal reached its last turn"]),
]


@pytest.mark.parametrize(("event", "kind", "line"), LINES)
def test_every_event_has_its_sentence(event, kind, line):
    assert frames.line_of(event) == line
    assert frames.kind_of(event) == kind


@pytest.mark.parametrize("kind", FaultKind)
def test_every_fault_has_its_words(kind):
    (text,) = frames.line_of(ev.SeatFaulted(SEAT0, kind, 2))
    assert str(text).startswith("fault 2: ")


@pytest.mark.parametrize("cause", ForfeitCause)
def test_every_forfeit_has_its_words(cause):
    (text,) = frames.line_of(ev.SeatForfeited(SEAT0, cause))
    assert str(text).startswith("forfeits: ")


@pytest.mark.parametrize("cause", DealEnd)
def test_every_end_of_a_deal_has_its_words(cause):
    assert len(str(frames.line_of(ev.DealEnded(cause, None, (), (), ()))[0])) > len("The deal ends: ")


@pytest.mark.parametrize("cause", GameEnd)
def test_every_end_of_a_game_has_its_words(cause):
    assert frames.line_of(ev.GameEnded(cause, (1,)))[-1] == " first"


def test_every_phase_has_its_words():
    assert [frames.phase_text(phase) for phase in (1, 4, 8)] == ["set of 3 + set of 3", "run of 7", "7 of one colour"]
    assert all("{" not in frames.phase_text(phase) for phase in PHASES)
    assert frames.phase_text(0) == "done"


@given(st.text(max_size=400), st.integers(1, 60))
def test_a_strangers_text_becomes_one_short_visible_line(text, limit):
    shown = frames.harmless(text, limit)
    assert len(shown) <= limit
    assert not [c for c in shown if unicodedata.category(c) in {"Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"}]
    assert frames.harmless(shown, limit) == shown


def test_harmless_text_is_left_alone_and_long_text_is_cut():
    assert frames.harmless("Späte Lisa 7 ½ <b>") == "Späte Lisa 7 ½ <b>"
    assert frames.harmless("a\u202eb\nc") == "ab c"
    assert frames.harmless("x" * 10_000, 10) == "xxxxxxxxx…"


def test_a_note_of_any_length_is_cut(record):
    loud = AnswerRecord(record.answers[0].event, 0, 1, 1, 1, "<b>" + "y" * 10_000)
    film = frames.film(replace(record, answers=(loud,)))
    assert len(film.frames[loud.event]["note"]) == frames.NOTE_LENGTH
