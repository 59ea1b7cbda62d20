"""Write bots that play Phase 10 in phaseten's leagues.

A bot is a class with two methods:

    from bots_sdk import Bot, Draw, Play, Turn, View, run

    class MyBot(Bot):
        def draw(self, view: View) -> Draw:
            return Draw()

        def play(self, view: View) -> Play:
            turn = Turn(view, self.game.ruleset)
            return turn.end(discard=max(turn.discards()))

    if __name__ == "__main__":
        run(MyBot)

Everything that an author needs is in this module; nothing in it needs gRPC until `run` is called.
"""

from bots_sdk.bot import Bot
from bots_sdk.errors import SdkError, SiteRefused, SiteUnavailable, Superseded, WrongInput
from bots_sdk.info import Ending, GameInfo, GameResult, NotARule, Rejection, TimeLeft
from bots_sdk.local import LocalGame, SeatTally, Trouble, TroubleKind, play_game
from bots_sdk.runner import run
from bots_sdk.watcher import Watcher
from referee.engine.cards import (
    CARDS,
    SKIP,
    WILD,
    Card,
    Color,
    format_cards,
    full_deck,
    number_card,
    parse_card,
    parse_cards,
)
from referee.engine.errors import IllegalMove, Reason
from referee.engine.events import (
    CardDiscarded,
    CardHit,
    DealEnd,
    DealEnded,
    DealOpened,
    DrawSeen,
    FaultKind,
    ForfeitCause,
    GameEnd,
    GameEnded,
    PhaseLaid,
    PublicEvent,
    SeatFaulted,
    SeatForfeited,
    SkipPlayed,
    StockRenewed,
    TableMeld,
    TurnSkipped,
    WildTaken,
)
from referee.engine.game import Result
from referee.engine.hits import best_hits
from referee.engine.lays import Way, lays
from referee.engine.legal import Turn, draws, open_phases, plans, skip_targets
from referee.engine.melds import open_kinds
from referee.engine.moves import Draw, End, Hit, Meld, Move, Play, Seat
from referee.engine.presets import OFFICIAL, PRESETS
from referee.engine.ruleset import (
    PHASES,
    Advance,
    CardPoints,
    Clock,
    DealerRotation,
    DeckExhausted,
    Goal,
    GoalKind,
    GoingOut,
    HitOnLayTurn,
    InitialSkip,
    InitialSkipDeals,
    InitialWild,
    NaturalCards,
    Ruleset,
    ScoreTie,
    SkipLimit,
    SkipTarget,
    SkipZone,
    Terms,
    WinCheck,
)
from referee.engine.search import Plan, plan
from referee.engine.view import PublicView, SeatView, Stage, View
from referee.wire.replay import SeatInfo

__all__ = [
    "CARDS",
    "OFFICIAL",
    "PHASES",
    "PRESETS",
    "SKIP",
    "WILD",
    "Advance",
    "Bot",
    "Card",
    "CardDiscarded",
    "CardHit",
    "CardPoints",
    "Clock",
    "Color",
    "DealEnd",
    "DealEnded",
    "DealOpened",
    "DealerRotation",
    "DeckExhausted",
    "Draw",
    "DrawSeen",
    "End",
    "Ending",
    "FaultKind",
    "ForfeitCause",
    "GameEnd",
    "GameEnded",
    "GameInfo",
    "GameResult",
    "Goal",
    "GoalKind",
    "GoingOut",
    "Hit",
    "HitOnLayTurn",
    "IllegalMove",
    "InitialSkip",
    "InitialSkipDeals",
    "InitialWild",
    "LocalGame",
    "Meld",
    "Move",
    "NaturalCards",
    "NotARule",
    "PhaseLaid",
    "Plan",
    "Play",
    "PublicEvent",
    "PublicView",
    "Reason",
    "Rejection",
    "Result",
    "Ruleset",
    "ScoreTie",
    "SdkError",
    "Seat",
    "SeatFaulted",
    "SeatForfeited",
    "SeatInfo",
    "SeatTally",
    "SeatView",
    "SiteRefused",
    "SiteUnavailable",
    "SkipLimit",
    "SkipPlayed",
    "SkipTarget",
    "SkipZone",
    "Stage",
    "StockRenewed",
    "Superseded",
    "TableMeld",
    "Terms",
    "TimeLeft",
    "Trouble",
    "TroubleKind",
    "Turn",
    "TurnSkipped",
    "View",
    "Watcher",
    "Way",
    "WildTaken",
    "WinCheck",
    "WrongInput",
    "best_hits",
    "draws",
    "format_cards",
    "full_deck",
    "lays",
    "number_card",
    "open_kinds",
    "open_phases",
    "parse_card",
    "parse_cards",
    "plan",
    "plans",
    "play_game",
    "run",
    "skip_targets",
]
