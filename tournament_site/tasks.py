"""What Celery runs. Short, idempotent, without arguments: what is due stands in the database.

Beat asks for each of them every two seconds, the collector after records. They are apart so that a mistake in one, say in
the table of one season, does not keep the others from their work.
"""

from tournament_site import pipeline
from tournament_site.celery import app
from tournament_site.metrics import note_tick


@app.task  # type: ignore[untyped-decorator] # Celery ships no types
def heal() -> None:
    """Look after matches whose lease is over."""
    pipeline.heal()
    note_tick("heal")


@app.task  # type: ignore[untyped-decorator] # as above
def settle() -> None:
    """Ratings and seasons."""
    pipeline.settle()
    note_tick("settle")


@app.task  # type: ignore[untyped-decorator] # as above
def dispatch() -> None:
    """Start matches."""
    pipeline.dispatch()
    note_tick("dispatch")
