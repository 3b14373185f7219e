"""The texts that are asked: 200, over four directions and sixteen kinds."""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent
DIRECTIONS = (("zh", "en"), ("en", "zh"), ("de", "en"), ("en", "de"))
KINDS = (
    "one word", "name", "number", "price", "date", "time", "emoji", "mixed languages", "shouting", "no final stop",
    "address", "code", "paragraph", "nonsense", "punctuation only", "empty",
)  # fmt: skip


@dataclass(frozen=True)
class Input:
    source: str  # language
    target: str
    kind: str
    text: str

    @property
    def is_blank(self) -> bool:
        return not self.text.strip()


def read_inputs(source: str, target: str) -> list[Input]:
    return list(rows(FOLDER / f"{source}-{target}.tsv", source, target))


def rows(path: Path, source: str, target: str) -> Iterator[Input]:
    for number, line in enumerate(path.read_text(encoding="utf-8").removesuffix("\n").split("\n"), 1):
        kind, tab, text = line.partition("\t")
        if not tab or kind not in KINDS or "\t" in text:
            raise ValueError(f"{path}, line {number}: expected KIND, tab, TEXT; the kinds are {', '.join(KINDS)}")
        yield Input(source, target, kind, text)
