"""BPE-dropout (Provilkov et al. 2020): now and then a merge is left out, so that a word is seen cut in several ways.

The library has it too, but draws from a generator nobody can seed. Here the draw is a function of (seed, epoch,
sentence): a run that was stopped and resumed sees the pieces it would have seen.
"""

import random
from collections.abc import Callable

from attendo.errors import ConfigError
from attendo.text.normalize import normalize
from attendo.text.subword_models import Bpe
from attendo.text.tokenizer import Tokenizer, pretokenize


class BpeDropout:
    def __init__(self, tokenizer: Tokenizer, rate: float) -> None:
        if not isinstance(tokenizer.subwords, Bpe):
            raise ConfigError(f"BPE-dropout needs a tokenizer of kind bpe, this one is {tokenizer.subwords.kind}")
        if not 0.0 <= rate < 1.0:
            raise ConfigError(f"bpe_dropout = {rate}: expected a number in [0, 1)")
        pieces, first_piece = tokenizer.subwords.pieces, tokenizer.layout.first_piece
        self.rate = rate
        self.first_byte = tokenizer.layout.first_byte
        self.ids = {piece: first_piece + index for index, piece in enumerate(pieces)}
        # (left id, right id) -> (how early it was learned, id of the result)
        self.merges = {
            (first_piece + left, first_piece + right): (rank, self.ids[pieces[left] + pieces[right]])
            for rank, (left, right) in enumerate(tokenizer.subwords.merges)
        }

    def encode(self, text: str, seed: int, epoch: int, sentence: int) -> list[int]:
        """The ids of one sentence in one epoch; with rate 0 those of the tokenizer itself."""
        draw = random.Random(f"{seed}/{epoch}/{sentence}").random  # noqa: S311 - no secret hangs on it
        ids: list[int] = []
        for part in pretokenize(normalize(text)):
            symbols: list[int] = []
            for character in part:
                known = self.ids.get(character)
                if known is None:
                    symbols.extend(self.first_byte + byte for byte in character.encode())
                else:
                    symbols.append(known)
            ids.extend(self.merge(symbols, draw))
        return ids

    def merge(self, symbols: list[int], draw: Callable[[], float]) -> list[int]:
        """Of the merges possible now, each is dropped with probability `rate`; the earliest of the rest is done."""
        merges, rate = self.merges, self.rate
        while len(symbols) > 1:
            best = None
            for index in range(len(symbols) - 1):
                found = merges.get((symbols[index], symbols[index + 1]))
                if found is not None and (best is None or found[0] < best[0]) and draw() >= rate:
                    best = (*found, index)
            if best is None:
                break
            _, result, index = best
            symbols[index : index + 2] = [result]
        return symbols
