"""The house's bots and the bot that `phaseten new` writes: by any rules without a fault, each one better than the last."""

from dataclasses import replace
from pathlib import Path
from uuid import UUID

import pytest

import bots_sdk
from bots_sdk import PRESETS, Bot, Draw, Play, Ruleset, Seat, Terms, parse_card, play_game
from bots_sdk.bot import Maker, maker
from bots_sdk.house_bots import HOUSE_BOTS, BlindBot, DenierBot, GreedyBot, RandomBot
from bots_sdk.info import GameInfo
from bots_sdk.loading import load_bot
from referee.engine.game import Game
from referee.wire.replay import SeatInfo
from tests.builders import game_at, melds

TEMPLATE = maker(load_bot(str(Path(bots_sdk.__file__).parent / "templates" / "python" / "bot.py")).source)
KINDS: list[Maker] = [*HOUSE_BOTS.values(), TEMPLATE]
THINKING: list[Maker] = [BlindBot, GreedyBot, DenierBot, TEMPLATE]
FREE = PRESETS["bg+free"]
TERMS = Terms(max_turns_per_deal=60)


@pytest.mark.parametrize("name", PRESETS)
def test_every_bot_plays_by_every_published_rule_set(name: str) -> None:
    """Whole games at every size of table, each bot at each of them."""
    for seats in range(2, 7):
        for first in range(0, len(KINDS), seats):
            bots = [KINDS[(first + seat) % len(KINDS)]() for seat in range(seats)]
            played = play_game(bots, PRESETS[name], TERMS, seed=f"{name} {seats} {first}")
            assert played.troubles == ()
            assert played.result.faults == (0,) * seats


@pytest.mark.parametrize(
    "change",
    [
        {"natural_cards": bots_sdk.NaturalCards.ONE_PER_MELD},
        {"lay_extra": False, "hit_on_lay_turn": bots_sdk.HitOnLayTurn.NONE},
        {"same_number_sets": False, "wild_replaceable": True, "wilds": 16},
        {"win_check": bots_sdk.WinCheck.ON_LAY, "skip_limit": bots_sdk.SkipLimit.UNLIMITED, "skips": 8},
        {"deck_exhausted": bots_sdk.DeckExhausted.END_DEAL, "hand_size": 13},
        {"initial_skip": bots_sdk.InitialSkip.COVER, "initial_wild": bots_sdk.InitialWild.COVER, "hand_size": 9},
        {"wilds": 0, "skips": 0, "advance": bots_sdk.Advance.FREE_CHOICE, "wild_replaceable": True},
    ],
)
def test_every_bot_plays_by_rules_that_nobody_published(change: dict[str, object]) -> None:
    rules = replace(bots_sdk.OFFICIAL, **change)  # type: ignore[arg-type]  # one option after the other
    for seats in (2, 5):
        bots = [KINDS[seat % len(KINDS)]() for seat in range(seats)]
        played = play_game(bots, rules, replace(TERMS, max_deals=20), seed=f"{change} {seats}")
        assert played.troubles == ()


@pytest.mark.parametrize("name", PRESETS)
def test_games_of_thinking_bots_end_by_themselves(name: str) -> None:
    for kind in THINKING:
        played = play_game([kind(), kind()], PRESETS[name], seed=name)
        assert played.result.cause.value in {"phases_done", "tie_break"}


@pytest.mark.parametrize(
    ("better", "worse", "games", "at_least"),
    # Two thousand games give .87 for greedy against blind and .71 for denier against greedy; the bounds are three standard
    # errors below that, and far above one half.
    [(BlindBot, RandomBot, 10, 0.9), (GreedyBot, BlindBot, 60, 0.74), (DenierBot, GreedyBot, 120, 0.58)],
)
def test_the_ladder_of_house_bots(better: type[Bot], worse: type[Bot], games: int, at_least: float) -> None:
    wins = 0.0
    for number in range(games):
        seat = number % 2
        bots: list[Bot] = [worse(), worse()]
        bots[seat] = better()
        places = play_game(bots, seed=f"ladder {number // 2}").result.places
        wins += 0.5 if places[0] == places[1] else float(places[seat] == 1)
    assert wins / games >= at_least


def asked(kind: Maker, game: Game) -> Draw | Play:
    """What a bot answers in a position; it has seen nothing of the deal before."""
    seat = game.to_move
    assert seat is not None
    bot, view = kind(), game.view(seat)
    table = tuple(SeatInfo(f"bot-{other}", f"Bot {other}", "1", other) for other in range(game.seats))
    bot.game = GameInfo(UUID(int=1), UUID(int=1), 1, game.ruleset, game.terms, seat, table)
    bot.game_started(bot.game)
    return bot.draw(view) if view.drawn is None else bot.play(view)


def position(*hands: str, rules: Ruleset, done: tuple[int, ...] = (), **others: object) -> Game:
    """A position in which seat 0 has completed these phases, where phases may be chosen."""
    game = game_at(*hands, ruleset=rules, **others)  # type: ignore[arg-type]  # handed on as they are
    if done:
        game.state.done[0], game.state.completed[0] = done, len(done)
    return game


@pytest.mark.parametrize("kind", [GreedyBot, DenierBot])
def test_where_phases_may_be_chosen_the_nearest_is_aimed_at(kind: Maker) -> None:
    near_one = position("R7 B7 G7 R10 B10 R1 R5 B8 G12 Y12", "B2", rules=FREE, discard="G10")
    assert asked(kind, near_one) == Draw(from_discard=True)
    # Once all phases with sets are done, a third ten is of no use.
    done = position("R7 B7 G7 R10 B10 R1 R5 B8 G12 Y12", "B2", rules=FREE, discard="G10", done=(1, 2, 3, 7, 9, 10))
    assert asked(kind, done) == Draw()


@pytest.mark.parametrize("kind", [BlindBot, GreedyBot, DenierBot])
def test_a_chosen_phase_is_named_and_laid_once(kind: Maker) -> None:
    hands = "R7 B7 G7 R10 B10 G10 R1 R3 R5 Y12 B9", "B2"
    play = asked(kind, position(*hands, rules=FREE, drew="R7"))
    assert isinstance(play, Play)
    assert (play.phase, play.lay) == (1, melds("R7 B7 G7 / R10 B10 G10"))
    again = asked(kind, position(*hands, rules=FREE, drew="R7", done=(1,)))
    assert isinstance(again, Play)
    assert (again.phase, again.lay) == (None, ())


@pytest.mark.parametrize("kind", THINKING)
def test_a_card_is_kept_where_the_last_one_must_be_thrown(kind: Maker) -> None:
    table = {0: "set 7: R7 B7 G7 / set 10: R10 B10 G10"}
    for name, discard in (("sv", "R7"), ("official", None)):
        game = position("Y7 R7 G10", "B2", rules=PRESETS[name], drew="Y7", table=table)
        play = asked(kind, game)
        assert isinstance(play, Play)
        assert len(play.hits) == (3 if discard is None else 2)
        assert (play.discard is None) is (discard is None)
        assert game.submit(Seat(0), play)


@pytest.mark.parametrize("kind", [BlindBot, GreedyBot, DenierBot])
def test_the_lay_that_wins_is_the_whole_play(kind: Maker) -> None:
    rules = replace(bots_sdk.OFFICIAL, phases=(1,), win_check=bots_sdk.WinCheck.ON_LAY)
    play = asked(kind, position("R7 B7 G7 R10 B10 G10 R1 R3 R5 Y12 B9", "B2", rules=rules, drew="R7"))
    assert play == Play(melds("R7 B7 G7 / R10 B10 G10"))


@pytest.mark.parametrize("kind", THINKING)
def test_a_skip_names_nobody_where_it_meets_the_next_seat(kind: Maker) -> None:
    hands = "R7 B7 S R10 R1 R3 R5 Y12 B9 G4 G2", "B2", "B3"
    for name, target in (("bg", None), ("official", 1)):
        play = asked(kind, position(*hands, rules=PRESETS[name], drew="R7"))
        assert play == Play(discard=parse_card("S"), skip_target=None if target is None else Seat(target))


@pytest.mark.parametrize("kind", [GreedyBot, DenierBot])
def test_a_skip_is_never_taken_even_where_it_may_be(kind: Maker) -> None:
    game = position("R7 B7 G7 R10 R1 R3 R5 Y12 B9 G4", "B2", rules=PRESETS["bg-literal"], discard="S")
    assert asked(kind, game) == Draw()
