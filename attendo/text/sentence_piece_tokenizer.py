"""The tokenizer of an imported model: as SentencePiece has it, run by `tokenizers`.

    text       normalised by the table of the model, each word begins with ▁
    pieces     the likeliest cut of each word: the source by the pieces of the source, the target by the target's
    ids        in the layout that every tokenizer here has; what has none is <unk>

Unlike the other kinds it does not give back every text: NFKC and what is unknown are lost, as the model was trained.
"""

import re
from collections.abc import Iterable, Sequence
from typing import cast

from tokenizers import Tokenizer as LibraryTokenizer

from attendo.special_tokens import SPECIAL
from attendo.text.sentence_pieces import (
    BYTE_NAMES,
    SPACE,
    Normaliser,
    Scored,
    SentencePieces,
    spaced,
    without_surrogates,
)
from attendo.text.tokenizer import LONGEST_REMEMBERED, MOST_REMEMBERED, Tokenizer

WORDS = re.compile(f"{SPACE}?[^{SPACE}]+|{SPACE}")


class SentencePieceTokenizer(Tokenizer):
    """One list of ids, and two ways to cut: `encode` is of the source, `encode_target` of the target."""

    def __init__(self, subwords: SentencePieces, languages: Sequence[str]) -> None:
        super().__init__(subwords, languages)
        self.normaliser = Normaliser(subwords.normaliser)
        self.source_cut = SideCut(self._library, subwords.source, self.ids_without(subwords.only_target))
        self.target_cut = self.source_cut
        if (subwords.source, subwords.only_source) != (subwords.target, subwords.only_target):
            library = LibraryTokenizer(subwords.target_model())
            self.target_cut = SideCut(library, subwords.target, self.ids_without(subwords.only_source))

    def ids_without(self, others: Sequence[int]) -> dict[str, int]:
        """The id of each piece that one side knows; `others`: those that it does not."""
        layout, subwords = self.layout, cast(SentencePieces, self.subwords)
        ids = {piece: layout.first_piece + index for index, piece in enumerate(subwords.pieces)}
        for index in others:
            del ids[subwords.pieces[index]]
        if subwords.bytes:
            ids |= {name: layout.first_byte + byte for byte, name in enumerate(BYTE_NAMES)}
        return ids

    @property
    def is_sided(self) -> bool:
        return self.target_cut is not self.source_cut

    def tag_ids(self, language: str) -> tuple[int, ...]:
        tag = self.tag(language)
        return (tag,) if language in cast(SentencePieces, self.subwords).tags else ()

    def reads_into(self, language: str) -> bool:
        """Those that have tags; of two languages without, the second."""
        return language in (cast(SentencePieces, self.subwords).tags or self.languages[-1:])

    def encode_all(self, texts: Iterable[str]) -> list[list[int]]:
        return [self.source_cut.encode(self.prepare(text)) for text in texts]

    def encode(self, text: str) -> list[int]:
        return self.source_cut.encode(self.prepare(text))

    def encode_all_targets(self, texts: Iterable[str]) -> list[list[int]]:
        return [self.target_cut.encode(self.prepare(text)) for text in texts]

    def prepare(self, text: str) -> str:
        return spaced(self.normaliser(without_surrogates(text)))

    def decode(self, ids: Iterable[int]) -> str:
        """The space before the first word is none of the text's."""
        return super().decode(ids).removeprefix(" ")


class SideCut:
    """The pieces of one side. A word is looked up where it was met before.

    Cut word by word only where no piece goes across two words, and ▁ is a piece, so that two unknown characters on
    both sides of a space are two.
    """

    def __init__(self, library: LibraryTokenizer, scored: Scored, ids: dict[str, int]) -> None:
        self.library, self.ids = library, ids
        self.by_words = any(piece == SPACE for piece, _ in scored) and not any(
            SPACE in piece[1:] for piece, _ in scored
        )
        self.remembered: dict[str, list[int]] = {}

    def encode(self, text: str) -> list[int]:
        if not self.by_words:
            return self.cut([text])[0] if text else []
        words, remembered = WORDS.findall(text), self.remembered
        # Of this call's own, because another thread may empty the shared one meanwhile.
        known = {word: remembered.get(word) for word in words}
        new = [word for word, ids in known.items() if ids is None]
        if new:
            found = dict(zip(new, self.cut(new), strict=True))
            known.update(found)
            if len(remembered) + len(new) > MOST_REMEMBERED:
                remembered.clear()
            remembered.update((word, ids) for word, ids in found.items() if len(word) <= LONGEST_REMEMBERED)
        return [token for word in words for token in known[word] or ()]

    def cut(self, texts: list[str]) -> list[list[int]]:
        """By the names of the pieces: what is unknown to one side may yet have an id, by the pieces of the other."""
        ids, unknown = self.ids, SPECIAL.unk
        return [
            [ids.get(piece, unknown) for piece in encoding.tokens]
            for encoding in self.library.encode_batch(texts, add_special_tokens=False)
        ]
