"""How many answers are acceptable, by kind and direction: a table of Markdown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks.first_tries.labels import Answer, Key
from benchmarks.first_tries.texts import DIRECTIONS, GROUPS


@dataclass(frozen=True)
class Share:
    acceptable: int
    read: int
    unread: int

    def __str__(self) -> str:
        """Of what was read; what was not is said beside it."""
        shown = f"{self.acceptable} of {self.read} ({self.acceptable / self.read:.0%})" if self.read else "none read"
        return f"{shown}, {self.unread} unread" if self.unread else shown


def share_of(answers: Sequence[Answer], labels: Mapping[Key, bool]) -> Share:
    read = [labels[one.key] for one in answers if one.key in labels]
    return Share(sum(read), len(read), len(answers) - len(read))


def table(answers: Sequence[Answer], labels: Mapping[Key, bool]) -> list[str]:
    """A row for each kind, then one for its group; a column for each direction."""
    lines = [f"| acceptable | {' | '.join(DIRECTIONS)} | all |", "|---|" + "---:|" * (len(DIRECTIONS) + 1)]
    for group, kinds in GROUPS.items():
        for name, among in (*((kind, (kind,)) for kind in kinds), (f"**{group}**", kinds)):
            chosen = [one for one in answers if one.text.kind in among]
            columns = [[one for one in chosen if one.text.direction == direction] for direction in DIRECTIONS]
            cells = [str(share_of(column, labels)) for column in (*columns, chosen)]
            lines.append(f"| {name} | {' | '.join(cells)} |")
    return lines
