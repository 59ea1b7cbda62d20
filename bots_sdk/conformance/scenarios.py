"""All scenarios, in the order in which they are tried."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from bots_sdk.conformance import beginning, leaving, playing, returning, talking
from bots_sdk.conformance.stage import Stage


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
    Scenario("rules-official", "plays by the official rules", playing.under("official", "app163", "fundex")),
    Scenario("rules-free-choice", "plays where the phase may be chosen", playing.under("bg+free")),
    Scenario("rules-discard-only", "plays where the last card must be discarded", playing.under("sv", "sv-literal")),
    Scenario("rules-skip-next", "plays where a Skip meets the next seat", playing.under("bg", "bg-literal", "bg+out")),
    Scenario("rules-skip-limits", "plays where skipped seats are protected", playing.under("da", "da-literal", "da+twist")),
    Scenario(
        "rules-every-deal",
        "plays where everybody moves on after each deal",
        playing.under("bg+all-advance", "fundex+ten-hands"),
    ),
    Scenario("rules-some-phases", "plays where only some phases count", playing.under("bg+odd", "fundex+even", "bg+to5")),
    Scenario("rules-unpublished", "plays by rules that no published rule set has", playing.unpublished, usual=False),
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
    Scenario("silence", "notices a referee that froze", talking.silence),
    Scenario("limits", "sends frames and messages that are not too large", leaving.limits),
    Scenario("notes", "writes notes that are not too long", leaving.notes),
    Scenario("superseded", "stays away when a newer session took over", leaving.superseded),
)
BY_NAME: Final = {scenario.name: scenario for scenario in SCENARIOS}
