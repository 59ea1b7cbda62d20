"""House rules that a parser can watch."""

import ast
import io
import re
import tokenize
from collections.abc import Iterator

from tests.architecture.sources import ROOT, Source, product, sources, tracked

#: Where code that is not ours to judge ends, or a failure must cost one thing and not the process.
MAY_CATCH_EVERYTHING = {
    "referee.service.containment",  # an attempt, an RPC
    "tournament_site.celery",  # the base of the tasks
    "bots_sdk.author",  # a bot author's code
}
SETTINGS_FILES = {
    "referee.service.settings",
    "referee.service.__main__",
    "bots_sdk.settings",
    "tournament_site.settings",
    "deploy.local.settings",
}
#: Roots that exist on one machine and not on the next. Built from parts, so that this file names none itself.
PRIVATE_ROOTS = re.compile(
    rb"(?<![\w.$}/-])/(?:" + b"|".join((b"ro" + b"ot", b"ho" + b"me/\\w", b"wo" + b"rk", b"Us" + b"ers/\\w")) + rb")\b"
)
#: addresses that documents and licences may name
PUBLIC_HOSTS = re.compile(
    r"(?:^|\.)(?:example(?:\.(?:com|org|net))?|localhost|github\.com|python\.org|pypi\.org|grpc\.io|json-schema\.org"
    r"|w3\.org|no-color\.org|djangoproject\.com|buf\.build|keepachangelog\.com|semver\.org|opensource\.org)$"
)
URL = re.compile(r"https?://([A-Za-z0-9.-]+)")


def handlers(source: Source) -> Iterator[ast.ExceptHandler]:
    for node in ast.walk(source.tree):
        if isinstance(node, ast.ExceptHandler):
            yield node


def names_of(node: ast.expr | None) -> set[str]:
    """The names in `except X` or `except (X, Y)`; {""} for a bare `except`."""
    if node is None:
        return {""}
    return {ast.unparse(part) for part in (node.elts if isinstance(node, ast.Tuple) else [node])}


def test_nobody_catches_everything_but_the_outermost() -> None:
    found = [
        f"{source.name}:{handler.lineno}"
        for source in product()
        if source.module not in MAY_CATCH_EVERYTHING
        for handler in handlers(source)
        if names_of(handler.type) & {"", "Exception"}
        or ("BaseException" in names_of(handler.type) and not reraises(handler))
    ]
    assert found == []


def reraises(handler: ast.ExceptHandler) -> bool:
    """It cleans up and passes on what it caught."""
    match handler.body[-1]:
        case ast.Raise(exc=None):
            return True
        case _:
            return False


def test_the_environment_is_read_in_settings_files_only() -> None:
    found = [
        f"{source.name}:{node.lineno}"
        for source in product()
        if source.module not in SETTINGS_FILES
        for node in ast.walk(source.tree)
        if (isinstance(node, ast.Attribute) and node.attr in {"environ", "getenv", "environb"})
        or (isinstance(node, ast.alias) and node.name in {"environ", "getenv", "environb"})
    ]
    assert found == []


def test_no_file_names_a_folder_of_somebodys_machine() -> None:
    found = [
        f"{path.relative_to(ROOT)}: {match.group().decode()}"
        for path in tracked()
        if b"\0" not in (content := path.read_bytes())
        for match in PRIVATE_ROOTS.finditer(content)
    ]
    assert found == []


def test_no_code_names_a_host() -> None:
    """Except well-known ones, in comments and documents: nothing here calls home."""
    found = [
        f"{path.relative_to(ROOT)}: {host}"
        for path in tracked()
        if path.suffix in {".py", ".md", ".toml", ".lock", ".in", ".yaml", ".yml", ".proto", ".html", ".js", ".css"}
        and "vendor" not in path.parts
        for host in URL.findall(path.read_text())
        if "." in host and not PUBLIC_HOSTS.search(host) and not re.fullmatch(r"[\d.]+", host)
    ]
    assert found == []


def test_locks_are_hashed_and_name_no_host() -> None:
    locks = sorted((ROOT / "requirements").glob("*.lock"))
    assert locks
    for lock in locks:
        pins = [block for block in re.split(r"(?m)^(?=\w)", lock.read_text()) if re.match(r"\w", block)]
        assert pins, lock.name
        assert [pin.splitlines()[0] for pin in pins if "--hash=sha256:" not in pin] == []
        assert "://" not in lock.read_text()


def test_the_servers_lock_is_part_of_the_developers() -> None:
    """So that `dev.py demo` has nothing to install after `dev.py test`."""

    def pins(name: str) -> set[str]:
        return set(re.findall(r"(?m)^\w\S*==.*?(?= \\$)", (ROOT / "requirements" / name).read_text()))

    assert pins("server.lock")
    assert pins("server.lock") - pins("dev.lock") == set()


def test_every_top_level_folder_explains_itself() -> None:
    folders = {path.relative_to(ROOT).parts[0] for path in tracked() if len(path.relative_to(ROOT).parts) > 1}
    silent = [name for name in sorted(folders) if not name.startswith(".") and not (ROOT / name / "README.md").exists()]
    assert silent == []


def comments(source: Source) -> Iterator[tuple[int, str]]:
    for token in tokenize.generate_tokens(io.StringIO(source.text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def test_exceptions_from_a_tool_carry_code_and_reason() -> None:
    mark = re.compile(r"#\s*(?:noqa|type:\s*ignore)")
    whole = re.compile(r"#\s*(?:noqa: [A-Z]+\d+(?:, [A-Z]+\d+)*|type: ignore\[[a-z\-, ]+\])\s+[-#]*\s*[\w`'\"]")
    bare = [
        f"{source.name}:{line}: {comment}"
        for source in sources()
        for line, comment in comments(source)
        if mark.search(comment) and not whole.search(comment)
    ]
    assert bare == []


def test_nothing_is_left_to_be_done() -> None:
    words = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME|XX" + r"X|HA" + r"CK)\b|raise NotImplement" + r"edError")
    found = [
        f"{source.name}:{number}: {line.strip()}"
        for source in sources()
        for number, line in enumerate(source.text.splitlines(), start=1)
        if words.search(line)
    ]
    assert found == []
