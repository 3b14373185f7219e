r"""How a string of a file writes its characters, so that a translation is written in the same way.

    "5 \u20ac\/day"   is read as   5 €/day   and known to write € as \u20ac and / as \/

A character that the source writes in a way of its own is written so again, the first as the first; others as the format
must. So the source itself comes back byte for byte.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

# Each escape of a string with what it stands for; None: it is no escape of this format.
Decoder = Callable[[re.Match[str]], str | None]


@dataclass(frozen=True)
class Spelt:
    """A text, and how the source writes those of its characters that it writes otherwise somewhere."""

    text: str
    forms: Mapping[str, Sequence[str]]

    def write(self, text: str, default: Callable[[str], str]) -> str:
        """In the source's way; `default` writes a character that the source does not have."""
        seen: Counter[str] = Counter()
        pieces = []
        for sign in text:
            forms = self.forms.get(sign)
            if forms is None:
                pieces.append(default(sign))
                continue
            pieces.append(forms[min(seen[sign], len(forms) - 1)])
            seen[sign] += 1
        return "".join(pieces)


def read_spelt(raw: str, escapes: re.Pattern[str], decode: Decoder) -> Spelt | None:
    """None if it has an escape that nobody knows."""
    found: list[tuple[str, str]] = []
    at = 0
    for escape in escapes.finditer(raw):
        found += pairs_of(raw[at : escape.start()])
        sign = decode(escape)
        if sign is None or len(sign) != 1:
            return None
        found.append((sign, escape.group()))
        at = escape.end()
    found += pairs_of(raw[at:])
    unusual = {sign for sign, form in found if sign != form}
    forms: dict[str, list[str]] = {}
    for sign, form in found:
        if sign in unusual:
            forms.setdefault(sign, []).append(form)
    return Spelt("".join(sign for sign, _ in found), forms)


def pairs_of(text: str) -> Iterator[tuple[str, str]]:
    return zip(text, text, strict=True)
