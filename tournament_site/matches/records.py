"""Checking the record of a finished match: nothing is believed that can be worked out again. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from uuid import UUID

from google.protobuf.message import DecodeError
from phaseten.v1 import referee_pb2

from referee.engine.events import GameStarted
from referee.engine.ruleset import Ruleset, Terms
from referee.verify.replays import find_difference
from referee.wire.errors import MalformedMessage
from referee.wire.replay import ReplayRecord, decode_replay, replay_digest
from tournament_site.matches.bundle import FinishedGame, FinishedMatch, Forfeit, Shuffle


class CorruptRecord(Exception):
    """A replay that does not add up; the message says what is wrong."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A record and what was found wrong with it: sentences, none if all is well.

    Attributes:
        shuffles: what made the cards of the games that could be read; to be shown if the attempt does not count.

    """

    match: FinishedMatch
    findings: tuple[str, ...]
    shuffles: tuple[Shuffle, ...] = ()


@dataclass(frozen=True, slots=True)
class Ordered:
    """What the site ordered of an attempt.

    Attributes:
        versions: ids of the versions, by the bots' index in the match; in game r bot i sits at (i + r) mod k.
        commitments: game id -> the commitment that was shown, for games that were seen to begin.

    """

    ruleset: Ruleset
    terms: Terms
    mirrored: bool
    versions: tuple[int | None, ...]
    commitments: Mapping[UUID, bytes] = field(hash=False)


def read_record(match_id: UUID, attempt: int, data: bytes, ordered: Ordered | None) -> Reading:
    """A serialised MatchRecord, every game of it played again and compared with what was ordered.

    `ordered` is None if the site knows no such match. Never raises: bytes that say nothing are a finding too.
    """
    try:
        message = referee_pb2.MatchRecord.FromString(data)
    except DecodeError:
        return Reading(FinishedMatch(match_id, attempt, (_unreadable(UUID(int=0), 0, data),)), ("it cannot be decoded",))
    games: list[FinishedGame] = []
    findings: list[str] = []
    shuffles: list[Shuffle] = []
    for index, entry in enumerate(message.games):
        game_id = UUID(bytes=entry.game_id) if len(entry.game_id) == 16 else UUID(int=0)
        try:
            record = decode_replay(entry.replay)
            games.append(_finished(game_id, index, entry, record))
            shuffles.append(_shuffle(game_id, record))
            _check_identity(record, match_id, attempt, game_id, index)
            if ordered is not None:
                _check_order(record, ordered)
            check_replay(record)
        except (MalformedMessage, CorruptRecord) as error:
            findings.append(f"game {index}: {error}")
            if len(games) == index:
                games.append(_unreadable(game_id, index, entry.replay))
    return Reading(FinishedMatch(match_id, attempt, tuple(games)), tuple(findings), tuple(shuffles))


def _unreadable(game_id: UUID, index: int, data: bytes) -> FinishedGame:
    """Stands for a game whose bytes say nothing, so that they are kept aside with the rest."""
    return FinishedGame(game_id, index, data, replay_digest(data), (), (), (), (), (), 0)


def _finished(game_id: UUID, index: int, entry: referee_pb2.GameRecord, record: ReplayRecord) -> FinishedGame:
    result = record.result
    return FinishedGame(
        game_id=game_id,
        index=index,
        replay=entry.replay,
        sha256=entry.sha256,
        places=result.places,
        points=result.totals,
        phases=result.completed,
        faults=result.faults,
        forfeits=tuple(None if cause is None else Forfeit[cause.name] for cause in result.forfeits),
        decisions=len(record.answers),
    )


def _shuffle(game_id: UUID, record: ReplayRecord) -> Shuffle:
    shares = tuple((share.commitment, share.nonce) for share in record.nonces)
    return Shuffle(game_id, record.server_seed, record.commitment, shares)


def _check_identity(record: ReplayRecord, match_id: UUID, attempt: int, game_id: UUID, index: int) -> None:
    said = (record.match_id, record.attempt, record.game_id, record.game_index)
    if said != (match_id, attempt, game_id, index):
        raise CorruptRecord(f"the replay says it is game {said[3]} ({said[2]}) of match {said[0]}, attempt {said[1]}")


def _check_order(record: ReplayRecord, ordered: Ordered) -> None:
    started = record.events[0] if record.events else None
    if isinstance(started, GameStarted) and (started.ruleset, started.terms) != (ordered.ruleset, ordered.terms):
        raise CorruptRecord("it was played by other rules or terms than were ordered")
    if record.mirrored != ordered.mirrored:
        raise CorruptRecord("its decks are shared with the other games, or not, against the order")
    size = len(ordered.versions)
    if [seat.version_id for seat in record.seats] != [
        ordered.versions[(seat - record.game_index) % size] for seat in range(size)
    ]:
        raise CorruptRecord("other bots sat on its seats than were ordered")
    shown = ordered.commitments.get(record.game_id)
    if shown is not None and shown != record.commitment:
        raise CorruptRecord("another commitment was shown when it began")


def check_replay(record: ReplayRecord) -> None:
    """Plays a replay again: commitments, every shuffle, every event, the result. Raises CorruptRecord."""
    found = find_difference(record)
    if found is not None:
        event = "" if found.event is None else f"event {found.event}"
        where = ", ".join(part for part in (event, found.place) if part)
        raise CorruptRecord(f"{found.check.value}: {where}: {found.says}; it should be {found.follows}")
