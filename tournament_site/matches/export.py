"""Replays as files."""

from pathlib import Path
from uuid import UUID

from django.db.models import QuerySet

from tournament_site.matches.models import Game, Replay


def export_replays(games: QuerySet[Game], folder: Path) -> list[Path]:
    """Write the replays of finished games as GAME.replay, a serialised phaseten.v1.Replay each.

    Files that are there already are left alone: a replay never changes.

    Returns:
        The paths, in the order of the matches and their games.

    """
    folder.mkdir(parents=True, exist_ok=True)
    order = ("attempt__match__finished_at", "attempt__match", "index")
    ids: list[UUID] = list(games.order_by(*order).values_list("pk", flat=True))
    paths = {game_id: folder / f"{game_id}.replay" for game_id in ids}
    wanted = [game_id for game_id, path in paths.items() if not path.exists()]
    for replay in Replay.objects.filter(pk__in=wanted).iterator(chunk_size=50):
        path = paths[replay.pk]
        part = path.with_suffix(".part")
        part.write_bytes(bytes(replay.data))
        part.replace(path)  # a file is there whole or not at all
    return list(paths.values())
