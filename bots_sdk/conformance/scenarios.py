"""All scenarios, in the order in which they are tried."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from bots_sdk.conformance import beginning, leaving, playing, returning, talking
from bots_sdk.conformance.playing import but, under
from bots_sdk.conformance.stage import Stage
from referee.engine.presets import OFFICIAL, PRESETS
from referee.engine.ruleset import (
    Advance,
    GoingOut,
    HitOnLayTurn,
    NaturalCards,
    ScoreTie,
    SkipLimit,
    SkipTarget,
    WinCheck,
)

LAY_TURNS: Final = (
    but("own-hits", hit_on_lay_turn=HitOnLayTurn.OWN_ONLY),
    but("no-hits", hit_on_lay_turn=HitOnLayTurn.NONE),
)
NEXT_SEAT: Final = (
    but("next", skip_target=SkipTarget.NEXT),
    but("next-free", skip_target=SkipTarget.NEXT, skip_limit=SkipLimit.UNLIMITED, skips=8),
)
SKIP_LIMITS: Final = tuple(but(limit.name.lower(), skip_limit=limit, skips=8) for limit in SkipLimit)
ENDINGS: Final = (
    but("every-deal", advance=Advance.EVERY_DEAL),
    but("and-out", win_check=WinCheck.END_OF_DEAL_AND_OUT, phases=(1, 4)),
    but("on-lay", win_check=WinCheck.ON_LAY, phases=(2, 8)),
    but("tied", score_tie=ScoreTie.REPLAY_FIRST_TO_LAY, phases=(1,), wilds=16),
)
UNPUBLISHED: Final = (
    but("no-extra", lay_extra=False),
    but("two-numbers", same_number_sets=False, natural_cards=NaturalCards.ONE_PER_MELD),
    but("fetch-wilds", wild_replaceable=True, wilds=16),
)


@dataclass(frozen=True, slots=True)
class Scenario:
    """One thing that a bot must do. `run` returns notes, and raises what `report` defines.

    One that is not `usual` is tried only if it is asked for by name.
    """

    name: str
    about: str
    run: Callable[[Stage], Awaitable[list[str]]]
    usual: bool = True


SCENARIOS: Final = (
    Scenario("ticket", "asks the site for a ticket and dials with it", beginning.ticket),
    Scenario("hello", "says Hello in time, and first", beginning.hello),
    Scenario("handshake", "commits to its share of the shuffle, then reveals it", beginning.handshake),
    Scenario("no-handshake", "plays where Start follows the Invite at once", beginning.at_once),
    Scenario("false-commitment", "looks whether its commitment was passed on", beginning.false_commitment),
    Scenario("phases", "plays all ten phases at tables of two and four", playing.phases),
    Scenario("rules-official", "plays by the official rules", under(OFFICIAL)),
    Scenario("rules-free-choice", "plays where the phase may be chosen", under(but("free", advance=Advance.FREE_CHOICE))),
    Scenario("rules-discard-only", "keeps a card to discard", under(but("discard", going_out=GoingOut.DISCARD_ONLY))),
    Scenario("rules-own-hits", "hits what may be hit in the turn of the lay", under(*LAY_TURNS)),
    Scenario("rules-skip-next", "names no target where a Skip meets the next seat", under(*NEXT_SEAT)),
    Scenario("rules-skip-limits", "skips no protected seat", under(*SKIP_LIMITS)),
    Scenario("rules-endings", "plays where a game is won in another way", under(*ENDINGS)),
    Scenario("rules-published", "plays by every published rule set", under(*PRESETS.values())),
    Scenario("rules-unpublished", "plays by options that no published rule set has", under(*UNPUBLISHED), usual=False),
    Scenario("many-games", "plays many games at once", playing.many_games),
    Scenario("large-frames", "reads frames of many messages", playing.large_frames),
    Scenario("answers", "answers each question once, with its game and id", talking.answers),
    Scenario("duplicate-question", "gives no second answer to a question told twice", talking.duplicate_question),
    Scenario("pong", "answers pings with their ids", talking.pong),
    Scenario("unknown-fields", "ignores fields of a newer protocol", talking.unknown_fields),
    Scenario("unknown-messages", "ignores messages and events of a newer protocol", talking.unknown_messages),
    Scenario("unknown-values", "ignores values of a newer protocol", talking.unknown_values),
    Scenario("refusals", "goes on after Rejected and Fault, late ones too", talking.refusals),
    Scenario("event-gaps", "goes on after events that are missing or told twice", talking.event_gaps),
    Scenario("slow-referee", "waits for a referee that takes its time", talking.slow_referee),
    Scenario("void", "plays on when a game is called off", talking.void),
    Scenario("resync-handshake", "comes back while shares are gathered", returning.in_handshake),
    Scenario("resync-asked", "comes back while it is asked", returning.while_asked),
    Scenario("resync-waiting", "comes back while others think", returning.while_waiting),
    Scenario("resync-gone", "comes back when its games are over", returning.games_gone),
    Scenario("redial", "dials a referee that refuses again, without haste", returning.redial),
    Scenario("two-referees", "plays at every referee of its ticket", returning.two_referees),
    Scenario("refused-ticket", "asks for a new ticket when one is refused", beginning.refused_ticket),
    Scenario("drain", "plays its games out after Drain, and comes back", leaving.drain),
    Scenario("silence", "notices a referee that freezes in the middle of a game", returning.after_silence),
    Scenario("limits", "sends messages that are not too large and not too many", leaving.limits),
    Scenario("notes", "writes notes that are not too long", leaving.notes),
    Scenario("superseded", "stays away when a newer session took over", leaving.superseded),
)
BY_NAME: Final = {scenario.name: scenario for scenario in SCENARIOS}
