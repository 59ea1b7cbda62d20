"""What Celery runs. Short, idempotent, without arguments: what is due stands in the database."""

from tournament_site import pipeline
from tournament_site.celery import app


@app.task  # type: ignore[untyped-decorator] # Celery ships no types
def tick() -> None:
    """Everything that is due; beat asks for it every two seconds, the collector after records."""
    pipeline.tick()
