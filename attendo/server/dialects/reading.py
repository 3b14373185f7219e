"""Values of a body that anybody may have sent: each is what it must be, or the request is refused in one sentence.

    one_text({"q": "Hallo"}, "q")       "Hallo"
    one_text({"q": 7}, "q")             RequestError: q is a number: expected a text

What is too much for this server (characters, texts, a beam) is for the server to say, except where no request could
need more.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from attendo.files.tables import short_repr
from attendo.server.job import Markup, RequestError
from attendo.server.languages import is_auto

LONGEST_NAME = 60  # characters of a language, a tag or an option: "Chinese (traditional, Hong Kong)" has 32
MOST_TAGS = 200  # in one list
MOST_ALTERNATIVES = 16
MARKUPS: Mapping[str, Markup] = {"text": "text", "html": "html", "xml": "xml"}
FLAGS = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}


def an_object(body: Any) -> Mapping[str, Any]:
    if not isinstance(body, Mapping):
        raise wrong("the body", body, "an object with keys and values")
    return body


def one_text(body: Mapping[str, Any], key: str) -> str:
    return checked(key, body.get(key), "a text")


def texts(body: Mapping[str, Any], key: str) -> tuple[tuple[str, ...], bool]:
    """Of a text or a list of texts, and whether it was one text. A form has a list where a key came more than once."""
    value = body.get(key)
    if not isinstance(value, list):
        return (checked(key, value, "a text or a list of texts"),), True
    return text_list(body, key), False


def text_list(body: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = body.get(key)
    if not isinstance(value, list):
        raise wrong(key, value, "a list of texts")
    if not value:
        raise RequestError("bad-request", f"{key} is an empty list: expected at least one text")
    return tuple(checked(f"{key}[{index}]", text, "a text") for index, text in enumerate(value))


def target(body: Mapping[str, Any], key: str) -> str:
    """A language to translate into, as the client calls it."""
    name = checked(key, body.get(key), "a language", LONGEST_NAME)
    if is_auto(name):
        raise RequestError("bad-request", f"{key} is {short_repr(name)}: expected a language to translate into")
    return name


def source(body: Mapping[str, Any], key: str) -> str | None:
    """As the client calls it; None where it is missing or "auto", whatever that is called: then each text tells."""
    value = body.get(key)
    if value is None:
        return None
    name = checked(key, value, "a language, or auto", LONGEST_NAME)
    return None if is_auto(name) else name


def markup(body: Mapping[str, Any], key: str, *allowed: Markup, default: Markup = "text") -> Markup:
    name = option(body, key, allowed)
    return MARKUPS[name] if name else default


def option(body: Mapping[str, Any], key: str, allowed: Sequence[str]) -> str | None:
    """One of several words, in any case; None where it is missing or empty."""
    value = body.get(key)
    if value is None or value == "":
        return None
    expected = " or ".join(allowed)
    name = checked(key, value, expected, LONGEST_NAME).lower()
    if name not in allowed:
        raise RequestError("bad-request", f"{key} is {short_repr(value)}, which is not supported: expected {expected}")
    return name


def whole_number(body: Mapping[str, Any], key: str, least: int, most: int) -> int | None:
    """Digits of a form are one, too; None where it is missing or empty."""
    value = body.get(key)
    if value is None or value == "":
        return None
    expected = f"a whole number from {least} to {most}"
    if isinstance(value, str) and value.isascii() and value.isdigit() and len(value) <= len(str(most)):
        value = int(value)
    if type(value) is not int:  # neither true nor 3.5
        raise wrong(key, value, expected)
    if not least <= value <= most:
        raise RequestError("bad-request", f"{key} is {short_repr(value)}: expected {expected}")
    return value


def alternatives(body: Mapping[str, Any]) -> int:
    return whole_number(body, "alternatives", 0, MOST_ALTERNATIVES) or 0


def flag(body: Mapping[str, Any], key: str) -> bool | None:
    """True, 1, "1" or "true"; None where it is missing or empty."""
    value = body.get(key)
    if value is None or value == "":
        return None
    if isinstance(value, bool):
        return value
    word = str(value).lower() if isinstance(value, str) or (type(value) is int and 0 <= value <= 1) else ""
    if word not in FLAGS:
        raise wrong(key, value, "true or false")
    return FLAGS[word]


def tags(body: Mapping[str, Any], key: str) -> tuple[str, ...]:
    """Names of elements: a list of them, or one text with commas."""
    value = body.get(key)
    if value is None:
        return ()
    parts = [value] if isinstance(value, str) else value
    if not isinstance(parts, list):
        raise wrong(key, value, "a list of tags")
    names = [name for part in parts for name in checked(key, part, "a list of tags").split(",")]
    found = tuple(dict.fromkeys(checked(key, name.strip(), "a tag", LONGEST_NAME) for name in names if name.strip()))
    if len(found) > MOST_TAGS:
        raise RequestError("bad-request", f"{key} has {len(found)} tags: expected at most {MOST_TAGS}")
    return found


def checked(name: str, value: Any, expected: str, longest: int | None = None) -> str:
    """A text that can be written as UTF-8, and is not too long."""
    if not isinstance(value, str):
        raise wrong(name, value, expected)
    if longest is not None and len(value) > longest:
        raise RequestError("bad-request", f"{name} has {len(value):,} characters: expected at most {longest}")
    try:
        value.encode()
    except UnicodeEncodeError as error:
        found = f"half of a surrogate pair at character {error.start + 1}"
        raise RequestError("bad-request", f"{name} has {found}: expected a text that UTF-8 can write") from error
    return value


def wrong(name: str, value: Any, expected: str) -> RequestError:
    if value is None:
        return RequestError("bad-request", f"{name} is missing: expected {expected}")
    return RequestError("bad-request", f"{name} is {kind_of(value)}: expected {expected}")


def kind_of(value: Any) -> str:
    """In words, and without what it holds."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float) and not math.isfinite(value):
        return "no finite number"
    kinds = {int: "a number", float: "a number", str: "a text", list: "a list", dict: "an object"}
    return kinds.get(type(value), "something else")
