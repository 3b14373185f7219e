"""All that is shown of a sentence, written into one folder: index.html, and the maps as PNG files."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from attendo.errors import WriteError
from attendo.files.durable import cannot_write
from attendo.inspection.alignment import Alignment, AttentionMaps, alignment, attention_maps
from attendo.inspection.attention_maps import draw_maps
from attendo.inspection.heat_map import labels_apart
from attendo.inspection.inspection import Inspection
from attendo.inspection.page import what_fits, write_page
from attendo.report.fonts import missing
from attendo.text.tokenizer import Tokenizer

PAGE = "index.html"


@dataclass(frozen=True)
class Written:
    maps: list[AttentionMaps]
    aligned: Alignment
    files: list[Path]  # the page first
    remarks: list[str]  # what a reader should know of them


def make_folder(folder: Path) -> None:
    """Before the long work, so that a folder that cannot be written is said at once."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(folder, error) from error
    if not os.access(folder, os.W_OK | os.X_OK):
        raise WriteError(f"cannot write {folder}: no permission")


def write_folder(
    folder: Path, found: Inspection, tokenizer: Tokenizer, languages: tuple[str, str], model: str
) -> Written:
    """The languages are of source and target; `model` is what the page calls it."""
    maps, aligned = attention_maps(found, tokenizer), alignment(found, tokenizer)
    pictures = list(draw_maps(maps, aligned, folder))
    summary = {
        "model · 模型": model,
        "direction · 方向": "-".join(languages),
        "tokens · 词元": f"{len(found.source)} → {len(found.best.ids)}",
        "beam · 束宽": str(found.options.beam_size),
        "log-probability · 对数概率": f"{found.best.log_prob:.3f}",
        "score · 得分": f"{found.best.score:.3f}",
    }
    write_page(folder / PAGE, found, tokenizer, maps, aligned, summary, languages)
    return Written(maps, aligned, [folder / PAGE, *pictures], remarks(found, maps, aligned))


def remarks(found: Inspection, maps: Sequence[AttentionMaps], aligned: Alignment) -> list[str]:
    said = []
    if not found.best.ended:
        said.append(f"the translation was cut at {len(found.best.ids)} tokens, its maximum length")
    labels = {*aligned.rows, *aligned.columns}.union(*((*one.rows, *one.columns) for one in maps))
    if unknown := missing(labels):
        said.append(
            f"no installed font has {' '.join(unknown[:8])}{' …' if len(unknown) > 8 else ''}: the pictures show code "
            f"points such as U+{ord(unknown[0]):04X}, {PAGE} the characters (Noto Sans CJK has Chinese)"
        )
    longest = max(max(one.weights.shape[-2:]) for one in maps)
    if labels_apart(longest) > 1:
        said.append(f"{longest} tokens are many for a picture: one label in {labels_apart(longest)} is shown")
    if means := [one.name for one in maps if what_fits(one.weights, one.name).note]:
        said.append(f"long for {PAGE}, which shows of {', '.join(means)} means at most: the pictures show every head")
    return said
