"""Connections to the control sides of the referees, and what several of them are asked at once."""

import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Final, TypeVar

from django.conf import settings

from tournament_site.addresses import Referee
from tournament_site.bots.tickets import control_token
from tournament_site.matches.referee_client import RefereeClient, RefereeRefused, RefereeUnavailable

T = TypeVar("T")
Question = Callable[[RefereeClient], T]
Failure = RefereeUnavailable | RefereeRefused

PATIENCE: Final = 5.0  # seconds that a short call may take
# Seconds for one that used more than these in vain just now. A machine that stands still does not even say no, and whoever
# waits for it does no work for the others: with the whole patience at every tick nobody would be left to move its matches
# elsewhere. It may be slow and nothing else, so it is given the whole patience again now and then.
LITTLE_PATIENCE: Final = 1.0
HASTY_SECONDS: Final = 15.0

_hasty_until: Final[dict[str, float]] = {}  # by a referee's id, as this process knows it


@contextmanager
def client_of(referee: Referee, seconds: float = PATIENCE) -> Iterator[RefereeClient]:
    """A connection to a referee's control side. Made in the process that uses it, for gRPC and fork do not mix."""
    token = lambda: control_token(settings.SITE.ticket_key, time.time())  # noqa: E731  one for each call
    with RefereeClient(referee.control, token, seconds) as client:
        yield client


def ask_all(questions: Mapping[Referee, Question[T]]) -> dict[Referee, T | Failure]:
    """The answers of all referees asked at once, so that one which does not answer keeps nobody waiting for long.

    For questions only, which may be asked again: one that used up its time is given little for a while.
    """
    with ThreadPoolExecutor(max(1, len(questions))) as pool:
        return dict(zip(questions, pool.map(_ask, questions, questions.values()), strict=True))


def _ask(referee: Referee, question: Question[T]) -> T | Failure:
    start = time.monotonic()
    hasty = start < _hasty_until.get(referee.id, start)
    answer: T | Failure
    try:
        with client_of(referee, LITTLE_PATIENCE if hasty else PATIENCE) as client:
            answer = question(client)
    except RefereeUnavailable as error:
        answer, end = error, time.monotonic()
        if hasty and end - start > LITTLE_PATIENCE / 2:
            return error
        if end - start > LITTLE_PATIENCE:
            _hasty_until[referee.id] = end + HASTY_SECONDS
            return error
    except RefereeRefused as error:
        answer = error
    _hasty_until.pop(referee.id, None)  # it is there, or what is in its place says no at once
    return answer
