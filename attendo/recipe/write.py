"""A recipe back into TOML: every default filled in, so that a run's folder says all that was decided."""

import re
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from attendo.data.prepare.settings import CorpusConfig, TokenizerSettings
from attendo.recipe.recipe import ModelSettings, Recipe

BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
ESCAPES = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}

WIDTH = 100  # of a list that stays on one line

Table = dict[str, Any]


def recipe_to_toml(recipe: Recipe) -> str:
    """Reading it gives the same recipe again."""
    return "\n".join(lines(to_dict(recipe), "")).lstrip("\n") + "\n"


def to_dict(config: Any) -> Table:
    """A dataclass as a table. None is left out, and where another value is the default it is `false`: switched off."""
    table: Table = {}
    for field in fields(config):
        if field.name in left_out(config):
            continue
        value = getattr(config, field.name)
        if value is not None:
            table[field.name] = to_value(value)
        elif field.default is not None:
            table[field.name] = False
    if isinstance(config, ModelSettings):
        table |= table.pop("changes")
    return table


def to_value(value: Any) -> Any:
    if isinstance(value, tuple | list):
        return [to_value(item) for item in value]
    if isinstance(value, str | bool | int | float | Mapping):
        return value
    return to_dict(value)


def left_out(config: Any) -> tuple[str, ...]:
    """What says nothing where something else is chosen."""
    match config:
        case CorpusConfig(task=None):
            return ("pairs", "shortest", "longest", "letters", "seed")
        case TokenizerSettings(file=str()):
            return ("kind", "vocab_size")
    return ()


def lines(table: Mapping[str, Any], name: str) -> list[str]:
    """Plain values first: after the heading of a table within, they would belong to that."""
    written = [f"{key(word)} = {inline(value)}" for word, value in table.items() if not holds_tables(value)]
    for word, value in table.items():
        full = f"{name}.{key(word)}" if name else key(word)
        if isinstance(value, Mapping):
            written += ["", f"[{full}]", *lines(value, full)]
        elif holds_tables(value):
            for entry in value:
                written += ["", f"[[{full}]]", *lines(entry, full)]
    return written


def holds_tables(value: Any) -> bool:
    return isinstance(value, Mapping) or (isinstance(value, list) and any(isinstance(item, Mapping) for item in value))


def inline(value: Any) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return quoted(value)
        case list():
            short = f"[{', '.join(map(inline, value))}]"
            return short if len(short) <= WIDTH else "[\n" + "".join(f"    {inline(item)},\n" for item in value) + "]"
    return repr(value)


def key(word: str) -> str:
    return word if BARE_KEY.fullmatch(word) else quoted(word)


def quoted(text: str) -> str:
    """All that TOML forbids in a text is escaped: quotes, backslashes, control characters and DEL."""
    return '"' + "".join(ESCAPES.get(character) or escaped(character) for character in text) + '"'


def escaped(character: str) -> str:
    return f"\\u{ord(character):04X}" if character < " " or character == "\x7f" else character
