"""Every sentence that the package says to people by an error or a log line, as a template, from its source.

f"{path} has {n} lines" is "{} has {} lines": a hole for each value.
"""

import ast
import builtins
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

PACKAGE = Path(__file__).parents[2] / "attendo"
OURS = {"AttendoError", "ConfigError", "DataError", "InputError", "TrainingError", "UsageError", "WriteError"}
LOGGED = {"info", "warning", "error"}
HOLE = "{}"


class Said(NamedTuple):
    file: str
    line: int
    template: str


def said_in(path: Path) -> Iterator[Said]:
    name = path.relative_to(PACKAGE).as_posix()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        for expression in sentences(node):
            for template in templates(expression):
                yield Said(name, expression.lineno, template.replace("%s", HOLE))


def sentences(node: ast.AST) -> Iterator[ast.expr]:
    """The first argument of an error of ours that is made, or of logger.warning(...)."""
    if not isinstance(node, ast.Call) or not node.args:
        return
    match node.func:
        case ast.Name(id=name) if name in OURS and not hasattr(builtins, name):
            yield node.args[0]
        case ast.Attribute(value=ast.Name(id="logger"), attr=attr) if attr in LOGGED:
            yield node.args[0]


def templates(node: ast.expr) -> list[str]:
    """All that an expression can say, as far as its source tells; a bare hole where it does not."""
    match node:
        case ast.Constant(value=str(text)):
            return [text.replace("{", "{{").replace("}", "}}")]
        case ast.JoinedStr(values=parts):
            found = [""]
            for part in parts:
                found = [before + after for before in found for after in templates(part)]
            return found
        case ast.FormattedValue(value=ast.IfExp(body=ast.Constant() as one, orelse=ast.Constant() as other)):
            return [*templates(one), *templates(other)]
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return [before + after for before in templates(left) for after in templates(right)]
        case ast.IfExp(body=one, orelse=other):
            return [*templates(one), *templates(other)]
        case _:
            return [HOLE]


def all_said() -> list[Said]:
    return [said for path in sorted(PACKAGE.rglob("*.py")) for said in said_in(path)]
