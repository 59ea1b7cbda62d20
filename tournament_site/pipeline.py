"""The spine: what happens to a match, in order, from the queue to the ledger. Nothing follows from anything elsewhere.

    dispatch   presence -> validation matches; queue, presence -> claim -> StartMatches
    collect    what referees report: leases, commitments, live events, records
    settle     validations, ratings, then leagues
    heal       leases that ran out: asked about, prolonged, put back or voided

Each step may be run at any time, by anybody, any number of times: what is done is done once. `tasks.py` runs the first, the
third and the fourth every two seconds, each by itself, so that trouble in one does not stop the others; `collector.py` runs
the second for every report of a referee.
"""

import logging
from collections import defaultdict
from collections.abc import Callable, Sequence
from uuid import UUID

from django.conf import settings

from referee.wire.replay import SeatInfo
from tournament_site import live
from tournament_site.addresses import Referee
from tournament_site.bots import queries as bots
from tournament_site.bots import services as presence
from tournament_site.control import Failure, Question, ask_all, client_of
from tournament_site.leagues import services as leagues
from tournament_site.matches import queries, recording, refusals, services, validation
from tournament_site.matches.bundle import Verdict
from tournament_site.matches.records import read_record
from tournament_site.matches.referee_client import (
    Answer,
    AttemptRef,
    AttemptState,
    Greeting,
    Opened,
    Order,
    Outcome,
    Record,
    RefereeClient,
    RefereeRefused,
    RefereeUnavailable,
    Refusal,
    Running,
    Sessions,
    StartResult,
    Update,
    Void,
    WatchUpdate,
)
from tournament_site.matches.rulebook import UnknownRules, ruleset_named, terms_from
from tournament_site.matches.selection import choose
from tournament_site.matches.services import Claimed
from tournament_site.ratings import services as ratings

log = logging.getLogger(__name__)

# What a referee may say to an order that says nothing against the match: it is tried again.
_WAIT = {
    Refusal.BOTS_ABSENT: refusals.BOTS_ABSENT,
    Refusal.NO_CAPACITY: refusals.NO_CAPACITY,
    Refusal.VERSION_CHANGED: refusals.VERSION_CHANGED,
    Refusal.REFEREE_BUSY: refusals.REFEREE_BUSY,
    Refusal.DRAINING: refusals.DRAINING,
    Refusal.STALE_ATTEMPT: refusals.STALE_ATTEMPT,
    Refusal.CANCELLED: refusals.CANCELLED,
    Refusal.UNSPECIFIED: refusals.UNSPECIFIED,
}
_ANSWERS = {
    Verdict.STORED: Answer.STORED,
    Verdict.DUPLICATE: Answer.DUPLICATE,
    Verdict.STALE: Answer.STALE,
    Verdict.CORRUPT: Answer.CORRUPT,
}


# -- dispatch ----------------------------------------------------------------------------------------------------------


def dispatch() -> None:
    """Start the matches whose bots are there and have room, the first in the queue first."""
    rooms: dict[str, int] = {}
    for referee, answer in ask_all(dict.fromkeys(settings.SITE.referees, RefereeClient.list_sessions)).items():
        sessions = _attend(referee, answer)
        rooms[referee.id] = 0 if sessions is None else sessions.free_games
    free = bots.free_games()
    validation.order(free)
    # Only bots with room: the waiting matches of one that is busy must not hide those of the others.
    present = {version for version, games in free.in_all.items() if games > 0}
    claimed = services.claim(choose(queries.candidates(present), free.by_referee, rooms, free.in_all))
    by_referee: dict[str, list[Claimed]] = defaultdict(list)
    for match in claimed:
        by_referee[match.referee].append(match)
    for referee in settings.SITE.referees:
        if matches := by_referee.get(referee.id):
            _start(referee, matches)


def _attend(referee: Referee, sessions: Sessions | Failure) -> Sessions | None:
    """Notes who is connected to a referee. None if it cannot be reached: then nobody is."""
    if not isinstance(sessions, Sessions):
        _complain(referee, sessions)
        presence.record_presence(referee.id, {})
        return None
    credentials = {entry.credential for entry in sessions.sessions}
    revoked = credentials - bots.valid_tokens(credentials)
    if revoked:
        _send_away(referee, sorted(revoked))
    presence.record_presence(
        referee.id,
        {
            entry.version_id: presence.Room(entry.capacity, entry.games)
            for entry in sessions.sessions
            if entry.credential not in revoked
        },
    )
    return sessions


def _send_away(referee: Referee, credentials: Sequence[str]) -> None:
    """Closes the sessions of tokens that were revoked; if that fails, the next tick tries again."""
    try:
        with client_of(referee) as client:
            client.close_sessions(credentials, "the bot token was revoked")
    except (RefereeUnavailable, RefereeRefused) as error:
        _complain(referee, error)


def _complain(referee: Referee, error: Failure) -> None:
    """A referee that is away is nothing special; one that refuses us is ours to mend."""
    log.log(logging.ERROR if isinstance(error, RefereeRefused) else logging.WARNING, "referee %s: %s", referee.id, error)


def _start(referee: Referee, matches: Sequence[Claimed]) -> None:
    orders: list[Order] = []
    for match in matches:
        try:
            orders.append(_order(match))
        except UnknownRules as error:
            services.refuse_for_good(match.match_id, match.attempt, str(error))
    try:
        with client_of(referee) as client:
            results = client.start_matches(orders)
    except (RefereeUnavailable, RefereeRefused) as error:
        # Whether they run nobody knows. Their leases tell: `heal` asks the referee when they are over.
        _complain(referee, error)
        return
    services.confirm(
        (result.ref.match_id, result.ref.attempt) for result in results if result.outcome is not Outcome.REFUSED
    )
    for result in results:
        if result.outcome is Outcome.REFUSED:
            _refused(result)


def _refused(result: StartResult) -> None:
    reason = f"{_WAIT.get(result.refusal, 'refused')}: {', '.join(result.bots) or result.text}"
    if result.refusal in _WAIT:
        services.put_back(result.ref.match_id, result.ref.attempt, reason)
    else:
        log.error("match %s was refused for good: %s", result.ref.match_id, result.text, extra=_ids(result.ref))
        services.refuse_for_good(result.ref.match_id, result.ref.attempt, result.text)


def _order(match: Claimed) -> Order:
    return Order(
        ref=AttemptRef(match.match_id, match.attempt),
        ruleset=ruleset_named(match.ruleset),
        terms=terms_from(match.terms),
        bots=tuple(SeatInfo(seat.bot, seat.bot_name, seat.version, seat.version_id) for seat in match.seats),
        game_ids=match.games,
        mirrored=match.mirrored,
    )


# -- collect -----------------------------------------------------------------------------------------------------------


def collect(
    referee: Referee, update: WatchUpdate, feed: live.Feed, acknowledge: Callable[[AttemptRef, Answer], None]
) -> bool:
    """Deal with one report of a referee. True if something was recorded that `settle` and `dispatch` should look at."""
    match update:
        case Greeting():
            log.info("watching referee %s, incarnation %s", update.referee, update.incarnation)
        case Running():
            _renew(referee, update.refs)
        case Opened():
            services.open_games({update.game_id: update.commitment})
        case Update():
            feed.publish(update.game_id, update.first, update.events, update.table)
        case Record():
            answer = _record(update, feed)
            acknowledge(update.ref, answer)
            return True
        case Void():
            changed = _void(referee, update)
            acknowledge(update.ref, Answer.STORED)
            return changed
    return False


def _void(referee: Referee, update: Void) -> bool:
    """An attempt came to nothing, and its seeds are no secret any more. True if it was the one that counted."""
    if update.planned:
        changed = services.call_off(*_pair(update.ref), update.text)
    else:
        changed = services.void_attempt(*_pair(update.ref), update.text)
    if changed and not update.planned:
        log.error("referee %s gave up match %s: %s", referee.id, update.ref.match_id, update.text, extra=_ids(update.ref))
    services.reveal(update.games)
    return changed


def _ids(ref: AttemptRef) -> dict[str, object]:
    """What a log line is about."""
    return {"match": ref.match_id, "attempt": ref.attempt}


def _pair(ref: AttemptRef) -> tuple[UUID, int]:
    return ref.match_id, ref.attempt


def _renew(referee: Referee, refs: Sequence[AttemptRef]) -> None:
    stale = services.renew((ref.match_id, ref.attempt) for ref in refs)
    if stale:
        with client_of(referee) as client:
            client.cancel_matches([AttemptRef(*pair) for pair in sorted(stale)], "this attempt does not count any more")


def _record(update: Record, feed: live.Feed) -> Answer:
    reading = read_record(*_pair(update.ref), update.data, queries.ordered(update.ref.match_id))
    verdict = recording.record(reading.match, reading.findings)
    log.info("the record of match %s is %s", update.ref.match_id, verdict.value.lower(), extra=_ids(update.ref))
    if verdict in {Verdict.STALE, Verdict.CORRUPT}:
        services.reveal(reading.shuffles)
    feed.forget([game.game_id for game in reading.match.games])
    return _ANSWERS[verdict]


# -- settle and heal ---------------------------------------------------------------------------------------------------


def settle() -> None:
    """What finished matches lead to: versions that are validated, ledger rows in order, standings and the seasons' ends."""
    validation.judge()
    ratings.apply()
    leagues.advance()


def heal() -> None:
    """Look after running matches whose lease is over. Nothing is put back before its referee was asked."""
    by_referee: dict[str, list[queries.Overdue]] = defaultdict(list)
    for overdue in queries.overdue():
        by_referee[overdue.referee].append(overdue)
    asked = {referee: _states_of(by_referee[referee.id]) for referee in settings.SITE.referees if referee.id in by_referee}
    states: dict[str, dict[AttemptRef, AttemptState]] = {}
    for referee, answer in ask_all(asked).items():
        if isinstance(answer, dict):
            states[referee.id] = answer
        else:
            _complain(referee, answer)
    for referee_id, matches in by_referee.items():
        for match in matches:
            _judge(match, states.get(referee_id))


def _states_of(matches: Sequence[queries.Overdue]) -> Question[dict[AttemptRef, AttemptState]]:
    refs = [AttemptRef(match.match_id, match.attempt) for match in matches]
    return lambda client: client.get_matches(refs)


def _judge(match: queries.Overdue, states: dict[AttemptRef, AttemptState] | None) -> None:
    """`states` is what its referee says of its attempts; None if it cannot be asked."""
    pair: tuple[UUID, int] = (match.match_id, match.attempt)
    if states is None:
        if match.two_leases:
            services.lose(*pair, refusals.OUT_OF_REACH)
        return
    match states.get(AttemptRef(*pair), AttemptState.UNKNOWN):
        case AttemptState.RUNNING | AttemptState.FINISHED:
            services.renew([pair])
        case AttemptState.UNKNOWN:
            services.lose(*pair, refusals.UNHEARD_OF)
        case AttemptState.VOID:
            services.void_attempt(*pair, "its referee gave it up")
        case AttemptState.CALLED_OFF:
            services.call_off(*pair, "its referee called it off")
