"""A small file that may be hostile, JSON from one, and one table of a JSON or TOML file -> one frozen dataclass.

Whatever does not fit is an error that says where. The dataclass is the only description of the table: its fields are
the keys, their types say what may stand there, and its own `__post_init__` checks what types cannot say.
"""

import hashlib
import json
import math
from collections.abc import Collection
from dataclasses import MISSING, fields, is_dataclass
from difflib import get_close_matches
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

from attendo.errors import AttendoError, ConfigError, InputError

T = TypeVar("T")

LARGEST_INTEGER = 2**63 - 1  # what TOML promises to carry
LONGEST_PATH_SHOWN = 400  # characters
WORDS = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}


def read_small_file(path: Path, largest: int, what: str = "", error: type[AttendoError] = InputError) -> bytes:
    """All of it, if it has at most `largest` bytes; no more than that is read. `what` is how errors call it.

    Whatever it claims to be: a device has no end, a pipe no size, a sparse file of 1 TB costs nothing.
    """
    try:
        with path.open("rb") as file:
            raw = file.read(largest + 1)
    except (OSError, ValueError) as problem:  # ValueError: a NUL in the name
        raise error(f"cannot read {what}{path}: {getattr(problem, 'strerror', None) or problem}") from problem
    if len(raw) > largest:
        raise error(f"{what}{path} is too large: expected at most {largest:,} bytes")
    return raw


def check_sha256(path: Path, raw: bytes, sha256: str) -> None:
    """Whether a file's bytes are what a manifest says of it."""
    if hashlib.sha256(raw).hexdigest() != sha256:
        raise InputError(f"{path} is not what its manifest says: it was damaged or changed")


def read_json(path: Path, largest: int, sha256: str | None = None, *, nan: bool = False) -> Any:
    """At most `largest` bytes are read; `sha256` is what its manifest says of the file."""
    raw = read_small_file(path, largest)
    if sha256 is not None:
        check_sha256(path, raw, sha256)
    return load_json(path, raw, nan=nan)


def load_json(path: Path, raw: bytes, *, nan: bool = False) -> Any:
    """What the bytes of that file say."""
    try:
        return parse_json(raw, nan=nan)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{path} is not JSON: {str(error)[:200]}") from error


def parse_json(raw: bytes, *, nan: bool = False) -> Any:
    """Each key of an object stands in it once (of two, another reader might take the other one); NaN and Infinity,
    which Python writes and the standard does not know, only where `nan` lets them."""
    # Python would guess UTF-16 and UTF-32, too, which the standard forbids and another reader may not know.
    return json.loads(
        raw.decode("utf-8"), object_pairs_hook=unique_keys, parse_constant=None if nan else refuse_constant
    )


def unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    table: dict[str, Any] = {}
    for key, value in pairs:
        if key in table:
            raise ValueError(f"the key {short_repr(key)} stands in it twice")
        table[key] = value
    return table


def refuse_constant(word: str) -> None:
    raise ValueError(f"{word} is no number of JSON")


def from_dict(kind: type[T], table: object, where: str) -> T:
    """The dataclass `kind` from a table's keys. `where` is how the table is called in errors, such as [training]."""
    if not isinstance(table, dict):
        raise ConfigError(f"{where} is {short_repr(table)}: expected a table")
    hints = get_type_hints(kind)
    known = {field.name: field for field in fields(kind)}  # type: ignore[arg-type]
    for key in table:
        if key not in known:
            raise unknown_key(key, known, where)
    for field in known.values():
        required = field.default is MISSING and field.default_factory is MISSING
        if required and field.name not in table:
            raise ConfigError(f"{field.name} is missing in {where}: expected {expected(hints[field.name])}")
    values = {key: convert(value, hints[key], key, where) for key, value in table.items()}
    try:
        return kind(**values)
    except ConfigError as error:
        if where in str(error):
            raise
        raise ConfigError(f"{where}: {error}") from error


def convert(value: object, kind: Any, name: str, where: str) -> Any:
    """A value as its field wants it: an int becomes a float, a list a tuple, a table a dataclass."""
    members = union_members(kind)
    if len(members) > 1:
        if value is False and NoneType in members and bool not in members:
            return None  # TOML has no word for nothing; `false` switches an option off
        kind = next((member for member in members if looks_like(value, member)), kind)
    if is_dataclass(kind) and isinstance(kind, type):
        return from_dict(kind, value, inside(where, name))
    if get_origin(kind) in (tuple, list) and isinstance(value, list):
        return convert_list(value, kind, name, where)
    if not looks_like(value, kind):
        raise ConfigError(f"{name} in {where} is {short_repr(value)}: expected {expected(kind)}")
    return float(value) if kind is float else value  # type: ignore[arg-type]


def convert_list(values: list[Any], kind: Any, name: str, where: str) -> Any:
    item, *more = get_args(kind)
    fixed = get_origin(kind) is tuple and more != [...]
    if fixed and len(values) != 1 + len(more):
        raise ConfigError(f"{name} in {where} is {short_repr(values)}: expected {expected(kind)}")
    result = [convert(value, item, f"{name}.{index}", where) for index, value in enumerate(values)]
    return get_origin(kind)(result)


def looks_like(value: object, kind: Any) -> bool:
    """Whether a value is of the right kind at first sight; what lists and tables hold is looked at later."""
    if kind is bool or kind is str:
        return type(value) is kind
    if kind is int:
        return type(value) is int and abs(value) <= LARGEST_INTEGER
    if kind is float:
        return looks_like(value, int) or (type(value) is float and math.isfinite(value))
    if get_origin(kind) is Literal:
        return any(type(value) is type(choice) and value == choice for choice in get_args(kind))
    if get_origin(kind) in (tuple, list):
        return isinstance(value, list)
    return is_dataclass(kind) and isinstance(value, dict)


def union_members(kind: Any) -> tuple[Any, ...]:
    return get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)


def expected(kind: Any) -> str:
    """A type in words: `tuple[str, ...]` is a list, each of it a text."""
    members = union_members(kind)
    if len(members) > 1:
        off = " (or false for none)" if NoneType in members and bool not in members and str not in members else ""
        return " or ".join(expected(member) for member in members if member is not NoneType) + off
    if get_origin(kind) is Literal:
        choices = get_args(kind)
        return f"one of {', '.join(map(str, choices))}" if len(choices) > 1 else str(choices[0])
    if get_origin(kind) in (tuple, list):
        item, *more = get_args(kind)
        many = f"{1 + len(more)} values" if more and more != [...] else "values"
        return f"a list of {many}, each {expected(item)}"
    return WORDS.get(kind, "a table")


def inside(where: str, name: str) -> str:
    """[data], corpora.0  ->  [data.corpora.0]"""
    return f"{where[:-1]}.{name}]" if where.endswith("]") else f"{name} of {where}"


def unknown_key(key: object, known: Collection[str], where: str) -> ConfigError:
    """With the nearest known key, or all of them where none is near."""
    nearest = get_close_matches(str(key)[:100], known, n=1)
    hint = f"did you mean '{nearest[0]}'?" if nearest else f"known keys: {', '.join(known)}"
    return ConfigError(f"unknown key {short_repr(key)} in {where}: {hint}")


def short_repr(value: object) -> str:
    """A value for an error message, short however long it is: a file may hold a number of 5,000 digits."""
    if type(value) is int and abs(value) >= 10**30:
        return f"a number of about {int(value.bit_length() * math.log10(2))} digits"
    if isinstance(value, str):
        value = as_typed(value)
    try:
        text = repr(value)
    except (ValueError, RecursionError):  # such a number inside a list, or a list inside a thousand others
        return f"a {type(value).__name__} too large to show"
    except Exception:  # a `__repr__` of somebody else's
        return f"a {type(value).__name__} that cannot be shown"
    return text if len(text) <= 60 else f"{text[:57]}..."


def as_typed(text: str) -> str:
    """A word of a command line in a locale that knows ASCII alone comes as halves of surrogate pairs, a byte each."""
    try:
        return text if text.isprintable() else text.encode("utf-8", "surrogateescape").decode("utf-8")
    except UnicodeError:
        return text


def short_path(path: object) -> str:
    """As it is, if that is a line that a person can read."""
    text = str(path)
    return text if text.isprintable() and len(text) <= LONGEST_PATH_SHOWN else short_repr(text)
