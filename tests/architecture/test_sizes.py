"""Files under 400 lines, functions in Python under 40: or a reason at the top, or in the line that begins the function."""

import ast
import re

from tests.architecture.sources import ROOT, Source, sources, tracked

FILE_LIMIT = 400
LANGUAGES = {".py", ".js", ".css", ".html", ".proto"}
TOP = 5  # lines
GENERATED = ROOT / "proto" / "gen"
FUNCTION_LIMIT = 40
#: `# long: why`, or the reason given to the linter for its own limits
REASON = re.compile(r"(?:#|//) long: \w|# noqa: [A-Z0-9, ]*(?:C901|PLR0912|PLR0915)[A-Z0-9, ]* [-#]* ?[a-z]")


def test_files_are_short() -> None:
    written = [path for path in tracked() if path.suffix in LANGUAGES and not path.is_relative_to(GENERATED)]
    assert {path.suffix for path in written} == LANGUAGES
    texts = {path.relative_to(ROOT).as_posix(): path.read_text().splitlines() for path in written}
    long = {name: lines for name, lines in texts.items() if len(lines) > FILE_LIMIT}
    assert [name for name, lines in long.items() if not any(map(REASON.search, lines[:TOP]))] == []


def test_functions_are_short_or_say_why_not() -> None:
    long = [
        f"{source.name}:{node.lineno} {node.name} has {length} lines"
        for source in sources()
        for node in ast.walk(source.tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and (length := code_lines(source, node)) > FUNCTION_LIMIT
        and not has_reason(source, node)
    ]
    assert long == []


def code_lines(source: Source, node: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """From `def` to the end, without the docstring: that one is encouraged to be long."""
    assert node.end_lineno is not None
    length = node.end_lineno - node.lineno + 1
    match node.body[0]:
        case ast.Expr(value=ast.Constant(value=str())) as docstring:
            assert docstring.end_lineno is not None
            return length - (docstring.end_lineno - docstring.lineno + 1)
        case _:
            return length


def has_reason(source: Source, node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    head = source.text.splitlines()[node.lineno - 1 : node.body[0].lineno]
    return any(REASON.search(line) for line in head)
