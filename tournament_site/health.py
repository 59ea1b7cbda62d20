"""Whether the site lives, and whether it can serve."""

from django.core.cache import cache
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.http import HttpRequest, JsonResponse
from psycopg_pool import PoolTimeout
from redis.exceptions import RedisError


def alive(_request: HttpRequest) -> JsonResponse:
    """The process answers; it asks nothing of anybody else."""
    return JsonResponse({"status": "ok"})


def ready(_request: HttpRequest) -> JsonResponse:
    """200 if database and Valkey answer and the schema is the code's; else 503 and what is wrong."""
    problems = [*_database_problems(), *_valkey_problems()]
    return JsonResponse({"status": "unready" if problems else "ok", "problems": problems}, status=503 if problems else 200)


def _database_problems() -> list[str]:
    try:
        executor = MigrationExecutor(connection)
        pending = executor.migration_plan(executor.loader.graph.leaf_nodes())
    except (DatabaseError, PoolTimeout):
        return ["the database does not answer"]
    return [f"{len(pending)} migrations are missing"] if pending else []


def _valkey_problems() -> list[str]:
    try:
        cache.get("ready")
    except RedisError:
        return ["Valkey does not answer"]
    return []
