"""What an examination finds: a kind of trouble, the lines that have it, and a few of them to look at."""

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST_EXAMPLES = 5
LONGEST_EXAMPLE = 300  # characters of a side
MOST_LINES = 10_000  # as many line numbers of one kind are listed; all are counted

Lines = NDArray[np.int64]  # line numbers, from 1, ascending


@dataclass(frozen=True)
class Example:
    """A pair as it is shown: the beginning of each side, in characters that can be printed."""

    line: int
    source: str
    target: str

    @classmethod
    def of(cls, line: int, source: str, target: str) -> "Example":
        return cls(line, beginning(source), beginning(target))


def beginning(text: str) -> str:
    """Half a surrogate pair, which JSON can hold and UTF-8 cannot, is shown as a question mark."""
    short = text if len(text) <= LONGEST_EXAMPLE else text[: LONGEST_EXAMPLE - 1] + "…"
    return short.encode("utf-8", errors="replace").decode("utf-8")


@dataclass(frozen=True)
class Finding:
    """One kind of trouble and all its lines; a shifted block is a finding of its own, with its shift."""

    kind: str
    lines: Lines
    examples: tuple[Example, ...] = ()
    shift: int | None = None

    @property
    def first_line(self) -> int:
        return int(self.lines[0])

    @property
    def last_line(self) -> int:
        return int(self.lines[-1])

    def to_dict(self) -> dict[str, Any]:
        answer: dict[str, Any] = {
            "kind": self.kind,
            "first_line": self.first_line,
            "last_line": self.last_line,
            "count": len(self.lines),
            "examples": [asdict(example) for example in self.examples],
        }
        if self.shift is not None:
            return answer | {"shift": self.shift}
        capped = {"lines_capped": True} if len(self.lines) > MOST_LINES else {}
        return answer | {"lines": self.lines[:MOST_LINES].tolist()} | capped
