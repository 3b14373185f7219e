"""Tokenizers of other people's models: SentencePiece's unigram pieces (Kudo and Richardson 2018), source and target.

    {"format": 1, "kind": "sentencepiece", "languages": ["en", "fr"], "tags": [], "bytes": false,
     "only_source": [], "only_target": [],
     "pieces": ["▁the", …], "source": [["▁the", -3.1], …], "target": [["▁le", -3.4], …], "normaliser": {"ﬁ": "fi", …}}

`pieces` have the ids; `source` and `target` cut a text, each with its own pieces and their log-probabilities, and a
piece that has no id is <unk>. `tags` are the languages whose >>tag<< a model reads before the source; a model of two
languages has none. Where each side has a vocabulary of its own, `only_source` and `only_target` tell which pieces the
other does not know. `normaliser` replaces the longest match at each place, before anything is cut.

What comes from a file is data alone: the rules by which it is used are written here and in sentence_piece_tokenizer.py.
"""

import re
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Literal

from tokenizers import models

from attendo.text.normalize import LONE_SURROGATE, REPLACEMENT

SPACE = "▁"  # U+2581, how a space is written in a piece
BYTE_NAMES = [f"<0x{byte:02X}>" for byte in range(256)]
UNKNOWN = "<unk>"
RUN_OF_SPACES = re.compile(" {2,}")

Scored = tuple[tuple[str, float], ...]


@dataclass(frozen=True)
class SentencePieces:
    """What stands in tokenizer.json."""

    pieces: tuple[str, ...]
    source: Scored
    target: Scored
    normaliser: dict[str, str]
    tags: tuple[str, ...] = ()  # languages
    bytes: bool = False  # what no piece covers is its bytes, not <unk>
    only_source: tuple[int, ...] = ()  # indices of pieces that the target's vocabulary has not, and
    only_target: tuple[int, ...] = ()  # the other way round
    kind: ClassVar[Literal["sentencepiece"]] = "sentencepiece"

    def model(self) -> models.Model:
        return self.cutter(self.source)

    def target_model(self) -> models.Model:
        return self.cutter(self.target)

    def cutter(self, scored: Scored) -> models.Model:
        names = [(name, 0.0) for name in BYTE_NAMES] if self.bytes else []
        return models.Unigram(vocab=[(UNKNOWN, 0.0), *names, *scored], unk_id=0, byte_fallback=self.bytes)


class Normaliser:
    """The longest match at each place is replaced; what matches nothing stays.

    >>> Normaliser({"ﬁ": "fi", "e\u0301": "é"})("cafe\u0301 ﬁn")
    'café fin'
    """

    def __init__(self, table: dict[str, str]) -> None:
        self.replacements = table
        self.longest = max(map(len, self.replacements), default=0)
        self.firsts = {key[0] for key in self.replacements}

    @cached_property
    def may_match(self) -> re.Pattern[str]:
        """A character without which nothing is replaced: a key of one, or the second of a longer one."""
        telling = {key if len(key) == 1 else key[1] for key in self.replacements}
        return re.compile(f"[{''.join(map(re.escape, sorted(telling)))}]" if telling else r"(?!)")

    def __call__(self, text: str) -> str:
        if not self.may_match.search(text):
            return text
        out, at, firsts, replacements = [], 0, self.firsts, self.replacements
        while at < len(text):
            if text[at] in firsts:
                for width in range(min(self.longest, len(text) - at), 0, -1):
                    found = replacements.get(text[at : at + width])
                    if found is not None:
                        out.append(found)
                        at += width
                        break
                else:
                    out.append(text[at])
                    at += 1
            else:
                out.append(text[at])
                at += 1
        return "".join(out)


def spaced(text: str) -> str:
    """Words with ▁ before each, no two spaces in a row: "  Hi  you " -> "▁Hi▁you"; nothing where there are only spaces.

    A ▁ that was written at the end falls away as spaces do, which is SentencePiece's way, too.
    """
    text = RUN_OF_SPACES.sub(" ", text).strip(" ")
    return (SPACE + text.replace(" ", SPACE)).rstrip(SPACE) if text else ""


def without_surrogates(text: str) -> str:
    return text if text.isprintable() else LONE_SURROGATE.sub(REPLACEMENT, text)
