"""Arguments of public functions, checked where they come in: which it is, what was given, what is expected."""

import errno
from collections.abc import Iterable, Mapping, Set
from numbers import Integral, Real
from pathlib import Path
from typing import Any, get_type_hints

from attendo.errors import ConfigError, UsageError
from attendo.files.tables import expected as in_words
from attendo.files.tables import looks_like, short_repr

PATHS = (str, Path)


def check_argument(name: str, value: object, kinds: type | tuple[type, ...], expected: str) -> None:
    """An error unless it is of one of the kinds; True is no whole number, although Python counts it as one."""
    wanted = kinds if isinstance(kinds, tuple) else (kinds,)
    if not isinstance(value, wanted) or (isinstance(value, bool) and bool not in wanted):
        raise wrong_argument(name, value, expected)


def check_languages(to: object, from_: object) -> None:
    """Both as `Translator.translate` takes them; whether a model knows them is asked later."""
    for name, value in (("to", to), ("from_", from_)):
        if value is not None:
            check_argument(name, value, str, "the name of a language, such as 'en', or None")


def check_path(name: str, value: object, besides: str = "") -> None:
    """A path that the system can have, whether or not something is there: no NUL, no half character, not too long."""
    check_argument(name, value, PATHS, f"a path, as str or Path{besides}")
    try:
        Path(value).stat()  # type: ignore[arg-type]
    except ValueError as error:
        raise wrong_argument(name, str(value), "a path of whole characters, without NUL") from error
    except OSError as error:
        if error.errno == errno.ENAMETOOLONG:
            raise wrong_argument(name, str(value), "a path that is not too long for this system") from error


def check_several(name: str, value: object, expected: str) -> None:
    """Something to go through, but no text, of which that would be the letters."""
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        raise wrong_argument(name, value, expected)


def as_list(name: str, value: object, expected: str) -> list[Any]:
    """What is there to go through, gone through once: an iterator that a check has read is empty for all others."""
    check_several(name, value, expected)
    return list(value)  # type: ignore[call-overload]


def as_texts(name: str, value: object) -> str | Path | list[str]:
    """Sentences in their order, which a set does not have; or the path of a file with a sentence a line."""
    if isinstance(value, PATHS):
        check_path(name, value)
        return value
    expected = "a list of str, or the path of a file"
    if isinstance(value, (Set, Mapping)):
        raise wrong_argument(name, value, expected)
    texts = as_list(name, value, expected)
    for text in texts:
        check_argument(f"a text of {name}", text, str, "str")
    return texts


def check_count(name: str, value: object, least: int, most: int) -> None:
    if type(value) is not int or not least <= value <= most:
        raise wrong_argument(name, value, f"a whole number from {least:,} to {most:,}")


def check_fields(config: object, where: str) -> None:
    """Each field of a frozen dataclass as its type says; numpy's numbers become Python's."""
    for name, kind in get_type_hints(type(config)).items():
        value = given = getattr(config, name)
        if type(given) not in (int, bool, float) and isinstance(given, Real):
            value = int(given) if isinstance(given, Integral) else float(given)
        if not looks_like(value, kind):
            raise ConfigError(f"{name} = {short_repr(given)} in {where}: expected {in_words(kind)}")
        if value is not given:
            object.__setattr__(config, name, value)


def wrong_argument(name: str, value: object, expected: str) -> UsageError:
    return UsageError(f"{name} is {short_repr(value)}: expected {expected}")
