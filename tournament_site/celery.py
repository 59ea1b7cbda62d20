"""The Celery application: short tasks, delivered at least once, ids as arguments."""

import logging
from typing import Any

from celery import Celery, Task

from tournament_site.settings import SITE, announce, require

log = logging.getLogger(__name__)
announce()

# Long before this a task has ended; its message is given to another worker after it, and not before.
LONGEST_TASK = 60
TICK_EVERY = 2.0


class TaskFailed(Exception):
    """A task came to nothing; the reason is in the log. The next one does what is left."""


class SiteTask(Task):  # type: ignore[misc]  # Celery ships no types
    """What every task is: it never breaks the worker, and what went wrong is logged once, with its ids."""

    abstract = True
    throws = (TaskFailed,)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            return super().__call__(*args, **kwargs)
        except Exception as error:
            log.exception("task %s%r failed", self.name, args)
            raise TaskFailed(self.name) from error


def _quiet(worker: Any) -> Any:
    """A worker class whose workers do not talk to each other.

    With its steps Gossip and Mingle a worker now and then takes no more tasks after Valkey was restarted (Celery's issue
    8030): Gossip fails while it is restarted, and the consumer stays half open.
    """

    class QuietWorker(worker):  # type: ignore[misc]  # Celery ships no types
        def __init__(self, **options: Any) -> None:
            super().__init__(**options | {"without_gossip": True, "without_mingle": True})

    return QuietWorker


class SiteCelery(Celery):  # type: ignore[misc]  # Celery ships no types
    """Workers and beat refuse to start with settings that are wrong; importing the application is always allowed."""

    @property
    def Worker(self) -> Any:  # noqa: N802 - Celery's name
        require()
        return _quiet(super().Worker)

    @property
    def Beat(self) -> Any:  # noqa: N802 - Celery's name
        require()
        return super().Beat


app = SiteCelery("tournament_site", task_cls=SiteTask)
app.conf.update(
    broker_url=SITE.valkey.celery,
    broker_connection_retry_on_startup=True,
    broker_connection_max_retries=None,
    broker_transport_options={
        "visibility_timeout": 10 * LONGEST_TASK,
        # Messages of a worker that died are looked for every ten seconds, not every hundred.
        "unacked_restore_interval": 10,
        "unacked_restore_throttle": 1,
        "socket_timeout": 5,
        "socket_connect_timeout": 5,
        "health_check_interval": 10,
    },
    accept_content=["json"],
    task_serializer="json",
    result_backend=None,
    task_ignore_result=True,
    task_acks_late=True,
    task_reject_on_worker_lost=True,
    task_time_limit=LONGEST_TASK,
    task_soft_time_limit=LONGEST_TASK - 10,
    task_default_queue="phaseten",
    worker_prefetch_multiplier=1,
    worker_cancel_long_running_tasks_on_connection_loss=True,
    worker_hijack_root_logger=False,
    worker_send_task_events=False,
    enable_utc=True,
    timezone="UTC",
    imports=("tournament_site.tasks",),
    beat_max_loop_interval=1.0,
    beat_schedule={
        name: {
            "task": f"tournament_site.tasks.{name}",
            "schedule": TICK_EVERY,
            # One that waited for so long is not needed any more: newer ones are behind it.
            "options": {"expires": 3 * TICK_EVERY},
        }
        for name in ("heal", "settle", "dispatch")
    },
)
