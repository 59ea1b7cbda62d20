"""What the one-machine set-up reads from the environment: the only file of `deploy` that does."""

import os
from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Settings:
    #: a PostgreSQL that already runs, as a URL; None starts our own
    database_url: str | None
    #: a Valkey or Redis that already runs, as a URL; None starts our own
    redis_url: str | None
    #: folder with initdb and postgres to use before the wheel's
    postgres_bin: str | None
    #: behave as if user namespaces were refused to root (to prove the fallback)
    no_user_namespace: bool
    #: https://no-color.org
    no_color: bool
    #: a Chromium for the browser tests, before any on PATH
    chromium: str | None
    #: browser tests without a browser are an error instead of a skip
    require_browser: bool
    #: tests of bots in JavaScript without Node or its packages are an error instead of a skip
    require_node: bool
    #: tests of the compiled product without a C compiler are an error instead of a skip
    require_compiler: bool
    #: everything, to hand on to the processes we start
    inherited: Mapping[str, str]

    @classmethod
    def from_env(cls, env: Mapping[str, str] | None = None) -> "Settings":
        env = os.environ if env is None else env
        return cls(
            database_url=env.get("DATABASE_URL") or None,
            redis_url=env.get("PHASETEN_REDIS_URL") or None,
            postgres_bin=env.get("PHASETEN_PG_BIN") or None,
            no_user_namespace=env.get("PHASETEN_LOCAL_NO_USERNS") == "1",
            no_color=bool(env.get("NO_COLOR")),
            chromium=env.get("PHASETEN_CHROMIUM") or None,
            require_browser=env.get("PHASETEN_REQUIRE_BROWSER") == "1",
            require_node=env.get("PHASETEN_REQUIRE_NODE") == "1",
            require_compiler=env.get("PHASETEN_REQUIRE_COMPILER") == "1",
            inherited=dict(env),
        )
