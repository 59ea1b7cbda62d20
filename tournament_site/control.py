"""Connections to the control sides of the referees, and what several of them are asked at once."""

import time
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Final, TypeVar

from django.conf import settings

from tournament_site.addresses import Referee
from tournament_site.bots.tickets import control_token
from tournament_site.matches.referee_client import RefereeClient, RefereeRefused, RefereeSilent, RefereeUnavailable

T = TypeVar("T")
Question = Callable[[RefereeClient], T]
Failure = RefereeUnavailable | RefereeRefused

PATIENCE: Final = 5.0  # seconds that a short call may take
# Seconds for one that was silent when it was last asked. A stopped machine does not even say no, and whoever waits for it
# does no work for the others: with the whole patience at every tick, nobody would be left to move its matches elsewhere.
LITTLE_PATIENCE: Final = 1.0

_silent: Final[set[str]] = set()  # referees (ids) that let this process's last question pass without a word


@contextmanager
def client_of(referee: Referee, seconds: float = PATIENCE) -> Iterator[RefereeClient]:
    """A connection to a referee's control side. Made in the process that uses it, for gRPC and fork do not mix."""
    token = lambda: control_token(settings.SITE.ticket_key, time.time())  # noqa: E731  one for each call
    with RefereeClient(referee.control, token, seconds) as client:
        yield client


def ask_all(questions: Mapping[Referee, Question[T]]) -> dict[Referee, T | Failure]:
    """The answers of all referees asked at once, so that one which does not answer keeps nobody waiting for long.

    For questions only, which may be asked again: one that was silent last time gets little time to answer.
    """
    with ThreadPoolExecutor(max(1, len(questions))) as pool:
        return dict(zip(questions, pool.map(_ask, questions, questions.values()), strict=True))


def _ask(referee: Referee, question: Question[T]) -> T | Failure:
    answer: T | Failure
    try:
        with client_of(referee, LITTLE_PATIENCE if referee.id in _silent else PATIENCE) as client:
            answer = question(client)
    except RefereeSilent as error:
        _silent.add(referee.id)
        return error
    except (RefereeUnavailable, RefereeRefused) as error:
        answer = error
    _silent.discard(referee.id)
    return answer
