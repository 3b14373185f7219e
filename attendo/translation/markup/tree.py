"""The marks of a passage as a tree: elements with what stands in them, and points, which hold nothing.

    one <b>two <i>three</i></b> <img>     ->     0-9 <b>( 4-9 <i>() ) 10 <img>

Tags without a partner, and elements that cross, <b><i></b></i>, are points each: they keep their order, no more. So
elements are either apart or one inside the other.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from attendo.translation.markup.collect import Mark


@dataclass(slots=True, eq=False)
class Branch:
    """An element, or a point, which has no `close` and no length."""

    index: int  # in the order of the source
    start: int
    end: int
    open: Mark | None  # None: the passage itself
    close: Mark | None = None
    children: "list[Branch]" = field(default_factory=list)

    @property
    def is_element(self) -> bool:
        return self.open is None or self.close is not None

    @property
    def is_loose(self) -> bool:
        """A tag without a partner."""
        return self.open is not None and self.open.kind in ("open", "close") and self.close is None


def partners(marks: Sequence[Mark]) -> dict[int, int]:
    """Which mark closes which, where nothing crosses. Each is looked at twice at most."""
    opened: list[int] = []
    depth: dict[str, int] = {}  # how many of a name are open
    found: dict[int, int] = {}
    for at, mark in enumerate(marks):
        if mark.kind == "open":
            opened.append(at)
            depth[mark.name] = depth.get(mark.name, 0) + 1
        elif mark.kind == "close" and depth.get(mark.name):
            crossed = False
            while True:
                last = opened.pop()
                depth[marks[last].name] -= 1
                if marks[last].name == mark.name:
                    break
                crossed = True
            if not crossed:
                found[last] = at
    return found


def grow(marks: Sequence[Mark], length: int) -> Branch:
    """The tree of a passage that has so many characters."""
    closes = partners(marks)
    closed = set(closes.values())
    root = Branch(-1, 0, length, None)
    inside = [root]
    for at, mark in enumerate(marks):
        if at in closed:
            inside.pop()  # partners nest, so the one that closes is the last that opened
            continue
        branch = Branch(at, mark.at, mark.at, mark)
        inside[-1].children.append(branch)
        if at in closes:
            branch.close = marks[closes[at]]
            branch.end = branch.close.at
            inside.append(branch)
    return root
