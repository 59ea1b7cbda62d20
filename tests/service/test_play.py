"""A game over real sockets: answers, faults, clocks, and what each side is told."""

import asyncio

import pytest
from phaseten.v1 import bot_pb2 as pb
from phaseten.v1 import game_pb2, referee_pb2

from referee.engine.check import check_log
from referee.engine.events import CardDiscarded, CardDrawn, FaultKind, ForfeitCause, SeatFaulted, SeatForfeited, SkipPlayed
from referee.engine.shuffle import NO_NONCE, game_context, server_commit
from referee.service.clock import LONGEST_GAP_MS
from referee.service.session import IDLE_PING_SECONDS
from referee.wire import coarse
from referee.wire.replay import ReplayRecord, decode_replay, replay_digest
from referee.wire.rules import encode_ruleset
from tests.service.client import RULES, House, RawBot, order, quick_terms
from tests.service.hours import Hours, time_runs_out
from tests.service.player import dull, dull_move, play_all, play_on


async def start(house: House, a: str = "ann", b: str = "bob", **terms: int) -> tuple[RawBot, RawBot]:
    """Two bots at the first game of a match, one game at a time: the bot named first is asked first."""
    bots = await house.bot(a, capacity=1), await house.bot(b, capacity=1)
    results = await house.play(order(a, b, terms=quick_terms(**terms)))
    assert results[0].outcome == referee_pb2.START_OUTCOME_STARTED, results
    return bots


async def the_record(house: House) -> list[ReplayRecord]:
    record = await (await house.watch()).record()
    return [decode_replay(game.replay) for game in record.games]


def faults(replay: ReplayRecord) -> list[SeatFaulted]:
    return [event for event in replay.events if isinstance(event, SeatFaulted)]


def forfeits(replay: ReplayRecord) -> list[SeatForfeited]:
    return [event for event in replay.events if isinstance(event, SeatForfeited)]


async def test_a_match_is_played_and_its_replays_fold_to_its_results(house: House) -> None:
    ann, bob = await house.bot("ann"), await house.bot("bob")
    ordered = order("ann", "bob")
    await house.play(ordered)
    over = await play_all(ann, bob, games=2)
    record = await (await house.watch()).record()
    assert [game.game_id for game in record.games] == list(ordered.game_ids)
    for index, game in enumerate(record.games):
        assert game.sha256 == replay_digest(game.replay)
        replay = decode_replay(game.replay)
        assert check_log(replay.events).result == replay.result
        context = game_context(replay.game_id.bytes, 1, 2)
        assert replay.commitment == server_commit(context, replay.server_seed)
        assert [seat.bot for seat in replay.seats] == (["ann", "bob"] if index == 0 else ["bob", "ann"])
        assert replay.game_index == index
        assert replay.match_id.bytes == ordered.match_id
        assert replay.started_ms <= replay.ended_ms
        assert {share.nonce for share in replay.nonces} == {NO_NONCE}
        assert [answer.event for answer in replay.answers] == sorted({answer.event for answer in replay.answers})
        told = {message.server_seed: message for game_overs in over for message in game_overs}[replay.server_seed]
        assert told.kind == pb.GAME_OVER_KIND_FINISHED
        assert list(told.result.places) == list(replay.result.places)


async def test_the_seat_is_told_everything_it_may_know(house: House) -> None:
    ann, bob = await start(house)
    invite = (await ann.hear("invite")).invite
    assert invite.seat == 0
    assert [seat.bot for seat in invite.table] == ["ann", "bob"]
    assert len(invite.commitment) == 64
    assert invite.ruleset == encode_ruleset(RULES)
    assert invite.terms.max_deals == 1
    assert list((await ann.hear("start")).start.nonces) == [NO_NONCE] * 2
    opened = (await ann.hear("events")).events
    assert opened.first == 0
    assert opened.events[0].WhichOneof("kind") == "deal_opened"
    question = (await ann.hear("question")).question
    assert question.game == invite.game
    assert question.id == 1
    assert question.view.seat == 0
    assert len(question.view.hand) == 10
    assert question.view.table.stage == game_pb2.STAGE_DRAW
    assert (question.bank_ms, question.limit_ms) == (20_000, 20_000)
    await dull(ann, question)
    drawn = (await ann.hear("events")).events
    assert drawn.first == len(opened.events)
    assert drawn.events[0].WhichOneof("kind") == "draw_seen"
    again = (await ann.hear("question")).question
    assert again.id == 2
    assert again.view.drawn in again.view.hand
    assert len(again.view.hand) == 11
    await dull(ann, again)
    seen = (await bob.hear("events")).events
    assert [event.WhichOneof("kind") for event in seen.events][:2] == ["deal_opened", "draw_seen"]
    assert seen.events[1].draw_seen.card == game_pb2.PublicEvent().draw_seen.card  # nobody else sees the card
    assert (await bob.hear("question")).question.view.seat == 1


async def test_an_illegal_move_is_answered_with_the_reason_and_what_was_played(house: House) -> None:
    ann, bob = await start(house)
    question = (await ann.hear("question")).question
    await ann.answer(question.game, question.id, play=game_pb2.Play())
    rejected = (await ann.hear("rejected")).rejected
    assert rejected.reason == game_pb2.REJECT_REASON_MUST_DRAW_FIRST
    assert (rejected.game, rejected.id) == (question.game, question.id)
    assert rejected.text == "a turn begins with drawing a card"
    assert rejected.WhichOneof("instead") == "draw"
    assert not rejected.draw.from_discard
    fault = (await ann.hear("fault")).fault
    assert (fault.kind, fault.count, fault.limit) == (game_pb2.FAULT_KIND_ILLEGAL, 1, 3)
    question = (await ann.hear("question")).question
    assert question.view.table.stage == game_pb2.STAGE_PLAY
    expected = dull_move(question)["play"]
    strange = game_pb2.Play(discard=question.view.hand[0], hits=[game_pb2.Hit(owner=1, meld=0, card=question.view.hand[1])])
    await ann.answer(question.game, question.id, play=strange)
    rejected = (await ann.hear("rejected")).rejected
    assert rejected.reason == game_pb2.REJECT_REASON_NOT_LAID
    assert rejected.play == expected
    assert (await ann.hear("fault")).fault.count == 2
    assert (await bob.hear("question")).question.view.table.seats[0].faults == 2


async def test_an_answer_without_sense_is_a_fault(house: House) -> None:
    ann, _ = await start(house)
    question = (await ann.hear("question")).question
    await ann.answer(question.game, question.id)
    rejected = (await ann.hear("rejected")).rejected
    assert rejected.reason == game_pb2.REJECT_REASON_MALFORMED
    assert (await ann.hear("fault")).fault.kind == game_pb2.FAULT_KIND_MALFORMED
    question = (await ann.hear("question")).question
    no_card = game_pb2.Play.FromString(b"\x18\x63")  # discards card number 99
    await ann.answer(question.game, question.id, play=no_card)
    assert "99" in (await ann.hear("rejected")).rejected.text
    assert (await ann.hear("fault")).fault.count == 2


async def test_a_move_that_cannot_be_read_is_a_fault_and_the_session_goes_on(house: House) -> None:
    ann, _ = await start(house)
    question = (await ann.hear("question")).question
    broken = coarse.Answer(game=question.game, id=question.id, draw=b"\xff")
    await ann.call.write(coarse.ConnectRequest(messages=[{"answer": broken}]).SerializeToString())
    assert (await ann.hear("rejected")).rejected.text == "the Draw cannot be read"
    assert (await ann.hear("fault")).fault.kind == game_pb2.FAULT_KIND_MALFORMED
    assert (await ann.hear("question")).question.id == 2


async def test_a_question_that_was_never_asked_cannot_be_answered(house: House) -> None:
    ann, bob = await start(house)
    question = (await ann.hear("question")).question
    game = (await bob.hear("invite")).invite.game
    await bob.answer(game, 1, draw=game_pb2.Draw())
    rejected = (await bob.hear("rejected")).rejected
    assert rejected.reason == game_pb2.REJECT_REASON_MALFORMED
    assert rejected.WhichOneof("instead") is None
    assert (await bob.hear("fault")).fault.count == 1
    await ann.answer(question.game, question.id + 5, draw=game_pb2.Draw())
    assert (await ann.hear("rejected")).rejected.reason == game_pb2.REJECT_REASON_MALFORMED
    assert (await ann.hear("fault")).fault.count == 1
    assert (await ann.hear("question")).question.id == 2  # the default draw was played, the game goes on


async def test_old_answers_are_stale_and_the_same_answer_counts_once(house: House) -> None:
    ann, bob = await start(house)
    draw = (await ann.hear("question")).question
    await dull(ann, draw)
    play = (await ann.hear("question")).question
    await ann.answer(draw.game, draw.id, draw=game_pb2.Draw())
    assert (await ann.hear("rejected")).rejected.reason == game_pb2.REJECT_REASON_STALE
    answer = pb.BotMessage(answer=pb.Answer(game=play.game, id=play.id, **dull_move(play)))
    await ann.send(answer, answer, answer)
    await bob.hear("question")
    await ann.send(pb.BotMessage(ping=pb.Ping(id=1)))
    await ann.hear("pong")
    assert [message for message in ann.heard if message.WhichOneof("kind") == "fault"] == []
    assert sum(message.WhichOneof("kind") == "rejected" for message in ann.heard) == 1


async def test_a_game_the_session_does_not_have_is_unknown(house: House) -> None:
    bot = await house.bot("ann")
    await bot.answer(77, 3, draw=game_pb2.Draw())
    rejected = (await bot.hear("rejected")).rejected
    assert (rejected.game, rejected.id) == (77, 3)
    assert rejected.reason == game_pb2.REJECT_REASON_UNKNOWN_GAME
    assert rejected.text
    await bot.send(pb.BotMessage(resign=pb.Resign(game=78)))
    assert (await bot.hear("rejected")).rejected.game == 78


async def test_the_third_fault_forfeits_the_game(house: House) -> None:
    ann, bob = await start(house)
    for count in range(3):
        question = (await ann.hear("question")).question
        await ann.answer(question.game, question.id)
        assert (await ann.hear("fault")).fault.count == count + 1
        if count == 1:
            await dull(bob, (await bob.hear("question")).question)
            await dull(bob, (await bob.hear("question")).question)
    over = (await ann.hear("game_over")).game_over
    assert list(over.result.places) == [2, 1]
    assert over.result.cause == game_pb2.GAME_END_FORFEITS
    await bob.hear("game_over")
    await play_all(ann, bob)
    replay = (await the_record(house))[0]
    assert [(fault.kind, fault.count) for fault in faults(replay)] == [(FaultKind.MALFORMED, n) for n in (1, 2, 3)]
    assert [forfeit.cause for forfeit in forfeits(replay)] == [ForfeitCause.FAULTS]
    assert check_log(replay.events).result == replay.result


async def test_who_resigns_loses(house: House) -> None:
    ann, bob = await start(house)
    game = (await bob.hear("start")).start.game
    await bob.send(pb.BotMessage(resign=pb.Resign(game=game)))
    over = (await ann.hear("game_over")).game_over
    assert list(over.result.places) == [1, 2]
    assert list(over.result.forfeits) == [0, game_pb2.FORFEIT_CAUSE_RESIGNED]
    assert len(over.server_seed) == 64


async def test_who_never_answers_is_late_and_then_out(house: House) -> None:
    ann, bob = await start(house, bank=40_000, cap=10_000)
    playing = asyncio.create_task(play_on(bob, 2))
    for count in (1, 2, 3):
        await time_runs_out(house, "ann")
        rejected = (await ann.hear("rejected")).rejected
        assert rejected.reason == game_pb2.REJECT_REASON_LATE
        fault = (await ann.hear("fault")).fault
        assert (fault.kind, fault.count) == (game_pb2.FAULT_KIND_LATE, count)
    assert (await ann.hear("game_over")).game_over.result.places[0] == 2
    await play_on(ann)
    await playing
    replay = (await the_record(house))[0]
    assert [fault.kind for fault in faults(replay)] == [FaultKind.LATE] * 3
    late = [answer for answer in replay.answers if answer.seat == 0]
    assert [answer.think_ms for answer in late] == [10_000, 10_000, 10_000]
    assert [answer.bank_ms for answer in late] == [30_000, 20_000, 10_000]
    assert [replay.events[answer.event] for answer in late] == faults(replay)


async def test_an_answer_after_the_time_is_stale_and_no_second_fault(house: House) -> None:
    ann, _ = await start(house, bank=40_000)
    question = (await ann.hear("question")).question
    await time_runs_out(house, "ann")
    assert (await ann.hear("rejected")).rejected.WhichOneof("instead") == "draw"
    following = (await ann.hear("question")).question
    await ann.answer(question.game, question.id, draw=game_pb2.Draw())
    await dull(ann, following)
    rejected = (await ann.hear("rejected", where=lambda m: m.rejected.id == question.id)).rejected
    assert rejected.reason == game_pb2.REJECT_REASON_STALE


async def test_an_empty_bank_forfeits(house: House) -> None:
    ann, bob = await start(house, bank=60, cap=10_000)
    assert (await ann.hear("rejected")).rejected.reason == game_pb2.REJECT_REASON_LATE
    over = (await bob.hear("game_over")).game_over
    assert list(over.result.forfeits) == [game_pb2.FORFEIT_CAUSE_CLOCK, 0]
    assert list(over.result.faults) == [0, 0]


async def test_the_increment_is_earned_and_thinking_is_charged(house: House) -> None:
    hours = Hours(house)
    ann, _ = await start(house, bank=5_000, increment=1_000, cap=5_000)
    question = (await ann.hear("question")).question
    hours.pass_by(60)
    await dull(ann, question)
    assert (await ann.hear("question")).question.bank_ms == 5_940


async def test_time_that_the_referee_itself_lost_is_charged_to_nobody(house: House) -> None:
    hours = Hours(house)
    ann, _ = await start(house, bank=400, cap=400)
    question = (await ann.hear("question")).question
    hours.stand_still(1.0)
    await dull(ann, question)
    assert (await ann.hear("question", "game_over")).question.bank_ms == 400 - LONGEST_GAP_MS
    assert house.server.time.stalled == 1000 - LONGEST_GAP_MS


async def test_lag_is_measured_and_given_back(house: House) -> None:
    hours = Hours(house)
    ann, _ = await start(house, bank=5_000, cap=5_000)
    (session, _games) = next(entry for entry in house.server.lobby.sessions if entry[0].ticket.bot == "ann")
    session._ping = -1  # no pong is the one that it waits for
    session.round_trip = 70.0
    question = (await ann.hear("question")).question
    hours.pass_by(30)
    await dull(ann, question)
    following = (await ann.hear("question")).question
    assert following.bank_ms == 5_000  # all of it was network, as far as we know
    assert following.round_trip_ms == 70


async def test_thinking_and_lag_of_every_answer_stand_in_the_replay(house: House) -> None:
    hours = Hours(house)
    ann, bob = await start(house, bank=60_000, increment=300, cap=20_000)
    for session, _games in house.server.lobby.sessions:
        session._ping = -1  # no pong is the one that it waits for
        session.round_trip = 20.0 if session.ticket.bot == "ann" else 3_000.0

    async def slow(bot: RawBot, question: pb.Question) -> None:
        hours.pass_by(130)
        await dull(bot, question)

    await asyncio.gather(play_on(ann, 2, slow), play_on(bob, 2, slow))
    for replay in await the_record(house):
        banks = [60_000.0, 60_000.0]
        assert len(replay.answers) == sum(
            isinstance(event, CardDrawn | CardDiscarded | SkipPlayed) for event in replay.events
        )
        for answer in replay.answers:
            banks[answer.seat] += 300 - answer.think_ms
            assert abs(answer.bank_ms - banks[answer.seat]) <= len(replay.answers)  # each is rounded
            lag = 20 if replay.seats[answer.seat].bot == "ann" else 100
            assert (answer.think_ms, answer.lag_ms) == (130 - lag, lag)


async def test_pings_are_answered_and_measure_the_way(house: House) -> None:
    bot = await house.bot("ann")
    (session, _games) = house.server.lobby.sessions[0]
    ping = (await bot.hear("ping")).ping  # it comes with the Welcome
    await asyncio.sleep(0.02)
    await bot.send(pb.BotMessage(pong=pb.Pong(id=ping.id)), pb.BotMessage(pong=pb.Pong(id=99)))
    await bot.send(pb.BotMessage(ping=pb.Ping(id=5)))
    assert (await bot.hear("pong")).pong.id == 5
    assert session.round_trip >= 15
    pulse = house.server._bots._pulse
    pulse._round += (session.number - pulse._round - 1) % IDLE_PING_SECONDS  # with the next beat it is its turn again
    assert (await bot.hear("ping")).ping.id != ping.id


async def test_notes_stand_in_the_replay_cut_to_their_length(house: House) -> None:
    ann, bob = await start(house)
    question = (await ann.hear("question")).question
    await ann.answer(question.game, question.id, **dull_move(question), note="<b>\u202e" + "ä" * 600)
    await play_all(ann, bob, games=2)
    note = (await the_record(house))[0].answers[0].note
    assert note.startswith("<b>\u202eää")
    assert 498 <= len(note.encode()) <= 500


async def test_notes_of_a_seat_are_bounded(house: House) -> None:
    ann, bob = await start(house, max_turns_per_deal=120)

    async def talkative(bot: RawBot, question: pb.Question) -> None:
        await bot.answer(question.game, question.id, **dull_move(question), note="x" * 500)

    await asyncio.gather(play_on(ann, 2, talkative), play_on(bob, 2))
    replay = (await the_record(house))[0]
    assert len(replay.answers) > 300
    assert sum(len(answer.note) for answer in replay.answers) == 64 * 1024


async def test_messages_of_a_later_protocol_are_skipped(house: House) -> None:
    bot = await house.bot("ann")
    await bot.call.write(b"\x0a\x05\xfa\x3e\x02hi" + b"\x0a\x00")
    await bot.send(
        pb.BotMessage(nonce_commit=pb.NonceCommit(game=1)),
        pb.BotMessage(nonce_reveal=pb.NonceReveal(game=1)),
        pb.BotMessage(hello=pb.Hello(protocol=1)),
        pb.BotMessage(ping=pb.Ping(id=3)),
    )
    assert (await bot.hear("pong")).pong.id == 3


@pytest.mark.parametrize("seats", [3, 4, 6])
async def test_bigger_tables_play_a_game_for_every_seating(house: House, seats: int) -> None:
    names = [f"bot{index}" for index in range(seats)]
    bots = [await house.bot(name) for name in names]
    await house.play(order(*names, terms=quick_terms(max_turns_per_deal=2)))
    await play_all(*bots, games=seats)
    replays = await the_record(house)
    for index, replay in enumerate(replays):
        assert [names.index(seat.bot) for seat in replay.seats] == [(seat - index) % seats for seat in range(seats)]
        assert check_log(replay.events).result == replay.result


async def test_mirrored_games_share_their_decks_and_keep_their_seed_to_the_end(house: House) -> None:
    ann, bob = await house.bot("ann"), await house.bot("bob")
    ordered = order("ann", "bob", mirrored=True)
    await house.play(ordered)
    over = await play_all(ann, bob, games=2)
    assert {message.server_seed for messages in over for message in messages} == {b""}
    first, second = await the_record(house)
    assert first.mirrored
    assert first.server_seed == second.server_seed
    assert first.commitment == server_commit(game_context(ordered.match_id, 1, 2), first.server_seed)
    assert first.events[1] == second.events[1]  # the same deck
