"""Games in one process."""

import pickle
import subprocess
import sys

import pytest

from bots_sdk import (
    DealOpened,
    Draw,
    Ending,
    GameResult,
    Play,
    PublicEvent,
    Terms,
    TroubleKind,
    View,
    WrongInput,
    play_game,
)
from bots_sdk.house_bots import BlindBot, DenierBot, GreedyBot, RandomBot
from referee.engine.check import check_log
from referee.engine.shuffle import NO_NONCE, SeededDecks, game_context, match_key, server_commit
from referee.wire.replay import decode_replay
from tests.sdk.scripted import Recorder

SHORT = Terms(max_deals=2)


def test_the_same_seed_gives_the_same_game() -> None:
    games = [play_game([DenierBot(), RandomBot(), GreedyBot()], seed="again", terms=SHORT) for _ in range(2)]
    assert games[0].replay() == games[1].replay()
    assert games[0].game_id == games[1].game_id


def test_another_seed_gives_another_game() -> None:
    games = [play_game([GreedyBot(), GreedyBot()], seed=seed, terms=SHORT) for seed in (1, 2)]
    assert games[0].game.log[1] != games[1].game.log[1]
    assert games[0].game_id != games[1].game_id


class Loose(GreedyBot):
    """Plays as the greedy bot does, but is careless about types. So is much of what people write."""

    def draw(self, view: View) -> Draw:
        return Draw(int(super().draw(view).from_discard))  # type: ignore[arg-type] # the carelessness under test

    def play(self, view: View) -> Play:
        self.note(5)  # type: ignore[arg-type] # as above
        play = super().play(view)
        lay, hits = list(play.lay), iter(play.hits)
        return Play(lay, hits, play.discard, play.skip_target, play.phase)  # type: ignore[arg-type] # as above


def test_what_a_move_holds_may_be_of_a_type_that_is_alike() -> None:
    loose, strict = [play_game([bot, BlindBot()], seed="types", terms=SHORT) for bot in (Loose(), GreedyBot())]
    assert list(loose.game.log) == list(strict.game.log)
    assert loose.troubles == strict.troubles


def test_the_result_can_be_handed_to_another_process() -> None:
    result = play_game([GreedyBot(), BlindBot()], terms=SHORT).result
    assert pickle.loads(pickle.dumps(result)) == result


def test_a_replay_stands_up_to_a_check() -> None:
    played = play_game([GreedyBot(), BlindBot()], seed=5, names=["one", "two"])
    record = decode_replay(played.replay())
    assert check_log(record.events).result == record.result == played.result
    assert [seat.bot for seat in record.seats] == ["one", "two"]
    context = game_context(record.game_id.bytes, record.attempt, 2)
    assert record.commitment == server_commit(context, record.server_seed)
    decks = SeededDecks(match_key(context, record.server_seed, (NO_NONCE,) * 2))
    first = record.events[1]
    assert first.deck == decks(0, tuple(sorted(first.deck)))  # type: ignore[union-attr] # a DealStarted
    assert len(record.answers) == sum(tally.decisions for tally in played.tallies)


def test_hooks_are_called_as_at_the_referee() -> None:
    bot = Recorder()
    played = play_game([GreedyBot(), bot], seed=1, terms=SHORT)
    assert [info.seat for info in bot.started] == [1]
    assert bot.results == [GameResult(Ending.FINISHED, played.result)]
    assert bot.results[0].place(bot.started[0].seat) == played.result.places[1]
    assert isinstance(bot.seen[0], DealOpened)
    assert bot.views
    assert bot.time_left.limit_ms == SHORT.clock.cap_ms


def test_an_illegal_move_is_a_fault_and_is_kept_with_its_position() -> None:
    class Cheat(Recorder):
        def play(self, view: View) -> Play:
            return Play(discard=None)

    bot = Cheat()
    played = play_game([bot, BlindBot()], seed=1)
    assert played.result.faults == (3, 0)
    assert played.result.places == (2, 1)
    troubles = [trouble for trouble in played.troubles if trouble.seat == 0]
    assert [trouble.kind for trouble in troubles] == [TroubleKind.ILLEGAL] * 3
    assert troubles[0].move == Play(discard=None)
    assert len(troubles[0].view.hand) == 11
    assert len(bot.rejections) == 3


def test_an_error_costs_a_default_move_and_is_no_fault() -> None:
    class Clumsy(RandomBot):
        def draw(self, view: View) -> Draw:
            raise LookupError(view.table.turn)

    played = play_game([Clumsy(), GreedyBot()], seed=1, terms=SHORT)
    assert played.result.faults == (0, 0)
    assert {trouble.kind for trouble in played.troubles} == {TroubleKind.CRASH}
    assert isinstance(played.troubles[0].error, LookupError)


def test_an_error_in_a_hook_is_kept() -> None:
    class Clumsy(GreedyBot):
        def events(self, info: object, events: tuple[PublicEvent, ...]) -> None:
            raise LookupError("events")

    played = play_game([Clumsy(), GreedyBot()], seed=1, terms=SHORT)
    assert played.result.faults == (0, 0)
    assert "events raised LookupError" in played.troubles[0].text


@pytest.mark.parametrize("seats", [1, 7])
def test_a_table_has_two_to_six_seats(seats: int) -> None:
    with pytest.raises(WrongInput, match="cannot be played"):
        play_game([GreedyBot() for _ in range(seats)])


def test_a_seat_needs_a_bot_of_its_own() -> None:
    bot = GreedyBot()
    with pytest.raises(WrongInput, match="object of its own"):
        play_game([bot, bot])


def test_importing_the_sdk_loads_no_grpc() -> None:
    code = (
        "import sys, bots_sdk, bots_sdk.house_bots, bots_sdk.session, bots_sdk.cli; "
        "sys.exit([name for name in ('grpc', 'django', 'asyncio') if name in sys.modules] or 0)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_everything_the_sdk_offers_is_there_and_sorted() -> None:
    import bots_sdk

    assert sorted(set(bots_sdk.__all__), key=bots_sdk.__all__.index) == bots_sdk.__all__
    assert all(hasattr(bots_sdk, name) for name in bots_sdk.__all__)
