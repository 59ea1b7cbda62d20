"""What import-linter cannot say: allow-lists, and one library in named files only."""

import subprocess
import sys

import pytest

from tests.architecture.sources import ROOT, Source, imports, product, within

#: What the rules may use of the standard library: no clock, no dice, no input or output.
ENGINE_MAY_IMPORT = {
    "__future__",
    "bisect",
    "collections",
    "collections.abc",
    "dataclasses",
    "enum",
    "functools",
    "hashlib",
    "hmac",
    "itertools",
    "json",
    "math",
    "operator",
    "struct",
    "types",
    "typing",
    "uuid",
}
#: Files that speak gRPC. Everybody else sees values.
GRPC_FILES = {
    "referee.service.bot_api",
    "referee.service.referee_api",
    "referee.service.server",
    "referee.service.interceptor",
    "referee.service.status",
    "bots_sdk.client",
    "bots_sdk.conformance.server",
    "tournament_site.matches.referee_client",
}
GRPC_PACKAGES = ("grpc", "grpc_health", "grpc_reflection", "grpc_status")


def in_package(package: str) -> list[Source]:
    return [source for source in product() if within(source.module, package)]


def test_the_engine_imports_itself_and_a_list_of_the_standard_library() -> None:
    found = in_package("referee.engine")
    assert found
    strangers = [
        f"{source.name}:{line} imports {module}"
        for source in found
        for module, line in imports(source)
        if not within(module, "referee.engine")
        and module not in ENGINE_MAY_IMPORT
        and module.rpartition(".")[0] not in ENGINE_MAY_IMPORT  # a name in a listed module
    ]
    assert strangers == []


def test_only_the_named_files_import_grpc() -> None:
    strangers = [
        f"{source.name}:{line} imports {module}"
        for source in product()
        if source.module not in GRPC_FILES
        for module, line in imports(source)
        if any(within(module, package) for package in GRPC_PACKAGES) or module.endswith("_pb2_grpc")
    ]
    assert strangers == []


def test_the_named_files_exist_and_need_their_exception() -> None:
    by_name = {source.module: source for source in product()}
    idle = [
        name
        for name in GRPC_FILES
        if name not in by_name or not any(within(module, "grpc") for module, _ in imports(by_name[name]))
    ]
    assert idle == []


def test_deploy_imports_nothing_of_ours() -> None:
    ours = ("referee", "bots_sdk", "tournament_site", "phaseten", "tests")
    strangers = [
        f"{source.name}:{line} imports {module}"
        for source in in_package("deploy")
        for module, line in imports(source)
        if any(within(module, package) for package in ours)
    ]
    assert strangers == []


#: What runs before there is an environment: dev.py, and what it imports to make one.
BEFORE_THE_ENVIRONMENT = (
    "dev",
    "deploy.local.console",
    "deploy.local.environment",
    "deploy.local.errors",
    "deploy.local.settings",
)


@pytest.mark.parametrize("name", BEFORE_THE_ENVIRONMENT)
def test_what_makes_the_environment_needs_only_the_standard_library(name: str) -> None:
    source = next(source for source in product() if source.module == name)
    top = [node for node in source.tree.body if hasattr(node, "names")]  # late imports come after it
    modules = {module for module, line in imports(source) if line in {node.lineno for node in top}}
    strangers = {
        module
        for module in modules
        if module.split(".")[0] not in sys.stdlib_module_names
        and not any(within(module, known) for known in (*BEFORE_THE_ENVIRONMENT, "deploy.local"))
    }
    assert strangers == set()
    ours = {module for module in modules if within(module, "deploy.local") and module != "deploy.local"}
    assert {module for module in ours if not any(within(module, known) for known in BEFORE_THE_ENVIRONMENT)} == set()


def test_parents_are_empty_so_that_importing_a_part_drags_in_nothing() -> None:
    for name in ("referee", "referee.service", "referee.wire"):
        source = next(source for source in product() if source.module == name and source.path.name == "__init__.py")
        assert len(source.tree.body) <= 1, f"{source.name} holds more than a docstring"


def loaded_by(module: str) -> set[str]:
    done = subprocess.run(
        (sys.executable, "-c", f"import {module}, sys; print(*sys.modules)"),
        cwd=ROOT,
        check=True,
        capture_output=True,
        text=True,
    )
    return {name.partition(".")[0] for name in done.stdout.split()}


def test_importing_the_wire_loads_no_grpc() -> None:
    modules = sorted(source.module for source in in_package("referee.wire"))
    loaded = loaded_by(", ".join(modules))
    assert "phaseten" in loaded
    assert not loaded & {*GRPC_PACKAGES, "django", "asyncio"}


def test_importing_the_engine_loads_no_clock_and_no_protobuf() -> None:
    modules = sorted(source.module for source in in_package("referee.engine"))
    loaded = loaded_by(", ".join(modules))
    assert not loaded & {"google", "phaseten", "grpc", "random", "logging", "asyncio"}
