"""Text in Chinese and in English that says the same: the lab's other pages, or, where there is one, a corpus."""

import os
import re
from pathlib import Path

import torch

from attendo.data.lines import ignore, read_lines
from attendo.lab.claim import Size
from attendo.lab.tools.texts import LAB, Language, one_line_each
from attendo.text.normalize import normalize

CORPUS = "zh-en/tatoeba.train.tsv.xz"
PAIRS = 20_000  # of the corpus: enough for a dictionary of 16000, and counted in minutes
MARKUP = re.compile(r"\$[^$]*\$|«[^»]*»|`[^`]*`|[#*|]+")
ABOUT_TEXT = "text"  # the folder of the claims that read the pages: a page of theirs would be read by itself
SENTENCE_END = re.compile(r"(?<=[.!?:;])\s+|(?<=[。！？：；])|\n+")


def sentences(language: Language, size: Size) -> list[str]:
    data = Path(os.environ.get("ATTENDO_DATA") or "data") / CORPUS
    if size == "full" and data.is_file():
        column = {"zh": 0, "en": 1}[language]
        return [normalize(line.split("\t")[column]) for line in read_lines(data, ignore)][:PAIRS]
    others = (path for path in LAB.rglob(f"*.{language}.md") if path.parent.name != ABOUT_TEXT)
    paths = sorted(others, key=lambda path: (path.parent.name, path.name.partition("_")[2]))  # by name, without the id
    pages = (path.read_text(encoding="utf-8") for path in paths)
    found = (part.strip() for page in pages for part in SENTENCE_END.split(MARKUP.sub(" ", joined(page))))
    return [re.sub(r"\s+", " ", normalize(sentence)) for sentence in found if len(sentence) > 1]


def joined(page: str) -> str:
    """Lines that are one paragraph as one line."""
    return re.sub(r"(?<!\n)\n(?=[^\n#])", " ", one_line_each(page))


def split(texts: list[str], seed: int, held_out: float = 0.2) -> tuple[list[str], list[str]]:
    """Some to learn from, some held out, by chance."""
    order = torch.randperm(len(texts), generator=torch.Generator().manual_seed(seed)).tolist()
    last = round(held_out * len(texts))
    return [texts[place] for place in order[last:]], [texts[place] for place in order[:last]]
