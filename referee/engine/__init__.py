"""The rules of Phase 10, and nothing else: no clock, no dice, no network. Table of contents.

A game is its list of events. `Game` is what one holds: `submit` a `Draw` or a `Play`, look at a `View`, read the `log`.
Cards are written `R7 B12 W S`. Rules are a `Ruleset` (see `PRESETS`), what a match agrees on is its `Terms`.

- to read a position: `View`, `PublicView`, `SeatView`, `TableMeld`
- to think: `plan`, `plans`, `lays`, `best_hits`, `Turn`, `draws`, `open_phases`, `skip_targets`, `open_kinds`, `card_points`
- to check: `check_log`, `fold`, `check_ruleset`, `shuffled` and its commitments
"""

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
from referee.engine.check import check_log
from referee.engine.default_move import default_play
from referee.engine.errors import CorruptLog, EngineError, IllegalMove, Reason, UnsupportedRules
from referee.engine.events import (
    CardDiscarded,
    CardDrawn,
    CardHit,
    DealEnd,
    DealEnded,
    DealOpened,
    DealStarted,
    DrawSeen,
    Event,
    FaultKind,
    ForfeitCause,
    GameEnd,
    GameEnded,
    GameStarted,
    PhaseLaid,
    PublicEvent,
    SeatFaulted,
    SeatForfeited,
    SkipPlayed,
    StockRebuilt,
    StockRenewed,
    TableMeld,
    TurnSkipped,
    WildTaken,
)
from referee.engine.game import Game, Result, fold
from referee.engine.hits import best_hits
from referee.engine.lays import Way, lays
from referee.engine.legal import Turn, draws, open_phases, plans, skip_targets
from referee.engine.melds import open_kinds
from referee.engine.moves import Draw, End, Hit, Meld, Move, Play, Seat
from referee.engine.observe import public_event
from referee.engine.presets import OFFICIAL, PRESETS, check_ruleset, ruleset_hash
from referee.engine.ruleset import (
    PHASES,
    CardPoints,
    Clock,
    FirstDealer,
    Goal,
    GoalKind,
    Ruleset,
    SeatDealer,
    Terms,
)
from referee.engine.scoring import card_points, hand_points
from referee.engine.search import Plan, plan
from referee.engine.shuffle import (
    NO_NONCE,
    DeckSource,
    SeededDecks,
    game_context,
    match_key,
    nonce_commit,
    server_commit,
    shuffle_number,
    shuffled,
)
from referee.engine.view import PublicView, SeatView, Stage, View

__all__ = [
    "CARDS",
    "NO_NONCE",
    "OFFICIAL",
    "PHASES",
    "PRESETS",
    "SKIP",
    "WILD",
    "Card",
    "CardDiscarded",
    "CardDrawn",
    "CardHit",
    "CardPoints",
    "Clock",
    "Color",
    "CorruptLog",
    "DealEnd",
    "DealEnded",
    "DealOpened",
    "DealStarted",
    "DeckSource",
    "Draw",
    "DrawSeen",
    "End",
    "EngineError",
    "Event",
    "FaultKind",
    "FirstDealer",
    "ForfeitCause",
    "Game",
    "GameEnd",
    "GameEnded",
    "GameStarted",
    "Goal",
    "GoalKind",
    "Hit",
    "IllegalMove",
    "Meld",
    "Move",
    "PhaseLaid",
    "Plan",
    "Play",
    "PublicEvent",
    "PublicView",
    "Reason",
    "Result",
    "Ruleset",
    "Seat",
    "SeatDealer",
    "SeatFaulted",
    "SeatForfeited",
    "SeatView",
    "SeededDecks",
    "SkipPlayed",
    "Stage",
    "StockRebuilt",
    "StockRenewed",
    "TableMeld",
    "Terms",
    "Turn",
    "TurnSkipped",
    "UnsupportedRules",
    "View",
    "Way",
    "WildTaken",
    "best_hits",
    "card_points",
    "check_log",
    "check_ruleset",
    "default_play",
    "draws",
    "fold",
    "format_cards",
    "full_deck",
    "game_context",
    "hand_points",
    "lays",
    "match_key",
    "nonce_commit",
    "number_card",
    "open_kinds",
    "open_phases",
    "parse_card",
    "parse_cards",
    "plan",
    "plans",
    "public_event",
    "ruleset_hash",
    "server_commit",
    "shuffle_number",
    "shuffled",
    "skip_targets",
]
