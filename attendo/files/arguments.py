"""Arguments of public functions, checked where they come in: which it is, what was given, what is expected."""

from collections.abc import Iterable
from pathlib import Path

from attendo.errors import UsageError
from attendo.files.tables import short_repr

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
    check_argument(name, value, PATHS, f"a path, as str or Path{besides}")


def check_several(name: str, value: object, expected: str) -> None:
    """Something to go through, but no text, of which that would be the letters."""
    if isinstance(value, (str, bytes)) or not isinstance(value, Iterable):
        raise wrong_argument(name, value, expected)


def check_texts(name: str, value: object) -> None:
    """Sentences, or the path of a file with a sentence a line."""
    if isinstance(value, PATHS):
        return
    expected = "a list of str, or the path of a file"
    check_several(name, value, expected)
    for text in value:  # type: ignore[attr-defined]
        check_argument(f"a text of {name}", text, str, "str")


def wrong_argument(name: str, value: object, expected: str) -> UsageError:
    return UsageError(f"{name} is {short_repr(value)}: expected {expected}")
