"""The corpus without what is surely wrong: written as TSV, and accounted for pair by pair.

Broken and misleading pairs are dropped, exchanged sides are swapped back, a shifted block is paired anew. Findings
that are only suspicions, such as lengths and numbers, stay as they are.
"""

import gzip
import lzma
import os
from collections import Counter, deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO, Any, cast

import numpy as np
from numpy.typing import NDArray

from attendo.data.corpus import Pair
from attendo.data.lines import ignore
from attendo.doctor.checks import CONTROL, is_broken, is_empty, without_control_characters
from attendo.doctor.examine import Examination
from attendo.doctor.finding import Finding
from attendo.errors import DataError

# Why a pair is dropped; one that has several reasons counts for the first.
LEAK = "leak"
REASONS = ("empty", "broken_encoding", "copy", "wrong_language", LEAK, "duplicate")
SHIFTED = "shifted_block"  # the ends of a block, whose partners are not there
KEPT, SWAPPED, ANEW = "kept", "swapped", "paired_anew"
FATES = (KEPT, *REASONS, SWAPPED)


@dataclass(frozen=True)
class Repair:
    """pairs_in = kept + the sum of dropped. Of those kept, some were swapped back or paired anew."""

    pairs_in: int
    kept: int
    dropped: dict[str, int]
    swapped_back: int
    paired_anew: int

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def write_repaired(examination: Examination, path: Path) -> Repair:
    """Read the corpus a last time and write what is good; the file appears only when it is complete."""
    unfinished = path.with_name(f"{path.name}.unfinished-{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with open_for_writing(unfinished, path.suffix) as out:
            fates = write_pairs(examination, out)
        unfinished.replace(path)
    except OSError as error:
        raise DataError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        with suppress(OSError):
            unfinished.unlink()
    kept = fates[KEPT] + fates[ANEW] + fates[SWAPPED]
    fates[SHIFTED] = examination.num_pairs - fates.total()
    dropped = {kind: fates[kind] for kind in (*REASONS, SHIFTED) if fates[kind]}
    return Repair(examination.num_pairs, kept, dropped, fates[SWAPPED], fates[ANEW])


def write_pairs(examination: Examination, out: IO[str]) -> Counter[str]:
    """Write the good pairs and count what became of all."""
    fate_of = decide_fates(examination)
    fates: Counter[str] = Counter()
    for pair, earlier in pair_anew(examination):
        fate = FATES[fate_of[pair.line]]
        if earlier != pair.line:
            leaked = LEAK in (fate, FATES[fate_of[earlier]])
            fate = "empty" if is_empty(pair) else "broken_encoding" if is_broken(pair) else LEAK if leaked else ANEW
        fates[fate] += 1
        if fate not in REASONS:
            sides = (tidy(pair.source), tidy(pair.target))
            out.write("\t".join(sides if fate != SWAPPED else reversed(sides)) + "\n")
    return fates


def decide_fates(examination: Examination) -> NDArray[np.uint8]:
    """[lines + 1] what becomes of each line, as an index into FATES; a byte a line, however large the corpus."""
    fate = np.zeros(examination.num_pairs + 1, dtype=np.uint8)
    for index, kind in reversed(list(enumerate(FATES))):  # the first in FATES has the last word
        fate[examination.lines(kind)] = index
    return fate


def pair_anew(examination: Examination) -> Iterator[tuple[Pair, int]]:
    """All pairs, each with the line of its earlier side; those of a shifted block with their right partners.

    Sides of a block that are left alone are left out.
    """
    blocks = deque(sorted((f for f in examination.findings if f.shift is not None), key=lambda f: f.first_line))
    waiting: deque[str] = deque()  # the last |shift| sources or targets of the block
    for pair in examination.corpus.pairs(ignore):
        if blocks and pair.line > blocks[0].last_line:
            blocks.popleft()
            waiting.clear()
        if not blocks or pair.line < blocks[0].first_line:
            yield pair, pair.line
            continue
        partner = next_in_block(pair, blocks[0], waiting)
        if partner is not None:
            yield partner, pair.line - abs(blocks[0].shift or 0)


def next_in_block(pair: Pair, block: Finding, waiting: deque[str]) -> Pair | None:
    """The pair that this line completes: an earlier source with this target, or this source with an earlier target."""
    shift = block.shift or 0
    waiting.append(pair.source if shift > 0 else pair.target)
    if len(waiting) <= abs(shift):
        return None
    earlier = waiting.popleft()
    return Pair(pair.line, earlier, pair.target) if shift > 0 else Pair(pair.line, pair.source, earlier)


def tidy(text: str) -> str:
    """A side that fits into a TSV line: no tabs, no line ends, nothing invisible."""
    if "\t" in text or "\n" in text or CONTROL.search(text):
        return without_control_characters(text)
    return text


def open_for_writing(path: Path, suffix: str) -> IO[str]:
    """Compressed as the end of the final name says."""
    open_file: Any = {".gz": gzip.open, ".xz": lzma.open}.get(suffix, Path.open)
    return cast(IO[str], open_file(path, "wt", encoding="utf-8", newline="\n", errors="replace"))
