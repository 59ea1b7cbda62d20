"""The collector: one long-lived process that watches every referee and takes home what they report.

A thread for each referee holds one stream open and does the database's work for it. A referee or a database that goes away
ends that stream only, and it is opened again; referees repeat what was not acknowledged. A mistake of ours ends the process,
and whoever supervises it starts it again. A second collector beside this one does no harm.
"""

import logging
import queue
import random
import signal
import threading
from collections.abc import Iterator

from django import db
from django.conf import settings

from tournament_site import live, pipeline
from tournament_site.addresses import Referee
from tournament_site.control import client_of
from tournament_site.matches.referee_client import Answer, AttemptRef, RefereeRefused, RefereeUnavailable, Watch
from tournament_site.metrics import MetricsPage
from tournament_site.tasks import dispatch, settle

log = logging.getLogger(__name__)

# Between two tries to reach a referee or the database, in seconds: the first one short, for a restart is soon over.
PAUSES = (0.2, 0.5, 1.0, 2.0)


class Watcher(threading.Thread):
    """Watches one referee until it is told to stop."""

    def __init__(self, referee: Referee) -> None:
        super().__init__(name=f"watch-{referee.id}", daemon=True)
        self.referee = referee
        self.stopping = threading.Event()
        self._watch: Watch | None = None
        self._failures = 0

    def stop(self) -> None:
        """Ask the thread to end; what it is recording it finishes."""
        self.stopping.set()
        watch = self._watch
        if watch is not None:
            watch.cancel()

    def run(self) -> None:
        while not self.stopping.is_set():
            try:
                self._session()
            except (RefereeUnavailable, RefereeRefused, db.Error) as error:
                if not self.stopping.is_set():
                    log.warning("watching referee %s ended: %s", self.referee.id, error)
            finally:
                db.connections.close_all()
            pause = PAUSES[min(self._failures, len(PAUSES) - 1)]
            self._failures += 1
            self.stopping.wait(pause * random.uniform(0.8, 1.2))  # noqa: S311 - spreads load, guards nothing

    def _session(self) -> None:
        """One stream, from its opening to its end. Raises what ended it."""
        answers: queue.SimpleQueue[tuple[AttemptRef, Answer] | None] = queue.SimpleQueue()
        with client_of(self.referee) as client, live.Feed() as feed:
            watch = client.watch(_until_none(answers))
            self._watch = watch
            if self.stopping.is_set():  # `stop` came before there was anything to cancel
                watch.cancel()
            try:
                for update in watch:
                    recorded = pipeline.collect(self.referee, update, feed, lambda ref, answer: answers.put((ref, answer)))
                    self._failures = 0
                    if recorded:
                        ask_for_work()
                    if self.stopping.is_set():
                        return
            finally:
                self._watch = None
                answers.put(None)
                watch.cancel()


def _until_none(answers: "queue.SimpleQueue[tuple[AttemptRef, Answer] | None]") -> Iterator[tuple[AttemptRef, Answer]]:
    while (answer := answers.get()) is not None:
        yield answer


_asked = threading.Lock()


def ask_for_work() -> None:
    """Have results settled and matches started soon, at most once a second; if the queue is away, beat asks later."""
    if not _asked.acquire(blocking=False):
        return
    timer = threading.Timer(1.0, _ask)
    timer.daemon = True
    timer.start()


def _ask() -> None:
    _asked.release()
    for task in (settle, dispatch):
        try:
            task.apply_async(expires=10, retry=False)
        except task.OperationalError as error:
            log.warning("the queue is away: %s", error)


def main() -> int:
    """Watch until SIGTERM or SIGINT. Returns the exit code."""
    stopping = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stopping.set())
    page = None
    if settings.SITE.metrics_bind is not None:
        try:
            page = MetricsPage(settings.SITE.metrics_bind)
        except OSError as error:
            log.critical("cannot serve metrics at %s:%d: %s", *settings.SITE.metrics_bind, error)
            return 1
    watchers = [Watcher(referee) for referee in settings.SITE.referees]
    for watcher in watchers:
        watcher.start()
    log.info("collecting from %s", ", ".join(watcher.referee.id for watcher in watchers))
    while not stopping.wait(1.0):
        for watcher in watchers:
            if not watcher.is_alive():  # a bug ended it; whoever restarts the process sees the exit code
                return 1
    for watcher in watchers:
        watcher.stop()
    for watcher in watchers:
        watcher.join(timeout=10)
    if page is not None:
        page.close()
    return 0
