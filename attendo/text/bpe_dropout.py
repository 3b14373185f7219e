"""BPE-dropout (Provilkov et al. 2020): now and then a merge is left out, so that a word is seen cut in several ways.

The library has it too, but draws from a generator nobody can seed. Here the draw is a function of (seed, epoch,
sentence): a run that was stopped and resumed sees the pieces it would have seen.
"""

import random
from collections.abc import Callable

from attendo.errors import ConfigError
from attendo.text.kinds import Bpe
from attendo.text.normalize import normalize
from attendo.text.pretokenize import cut
from attendo.text.tokenizer import Tokenizer


class BpeDropout:
    def __init__(self, tokenizer: Tokenizer, rate: float) -> None:
        if not isinstance(tokenizer.cutter, Bpe):
            raise ConfigError(f"BPE-dropout needs a tokenizer of kind bpe, this one is {tokenizer.cutter.kind}")
        if not 0.0 <= rate < 1.0:
            raise ConfigError(f"bpe_dropout = {rate}: expected a number in [0, 1)")
        pieces, first_piece = tokenizer.cutter.pieces, tokenizer.layout.first_piece
        self.rate = rate
        self.first_byte = tokenizer.layout.first_byte
        self.number = {piece: first_piece + place for place, piece in enumerate(pieces)}
        # (left id, right id) -> (how early it was learned, id of the result)
        self.merges = {
            (first_piece + left, first_piece + right): (rank, self.number[pieces[left] + pieces[right]])
            for rank, (left, right) in enumerate(tokenizer.cutter.merges)
        }

    def encode(self, text: str, seed: int, epoch: int, sentence: int) -> list[int]:
        """The ids of one sentence in one epoch; with rate 0 what the tokenizer itself says."""
        draw = random.Random(f"{seed}/{epoch}/{sentence}").random  # noqa: S311 - no secret hangs on it
        ids: list[int] = []
        for part in cut(normalize(text)):
            symbols: list[int] = []
            for character in part:
                known = self.number.get(character)
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
            for place in range(len(symbols) - 1):
                found = merges.get((symbols[place], symbols[place + 1]))
                if found is not None and (best is None or found[0] < best[0]) and draw() >= rate:
                    best = (*found, place)
            if best is None:
                break
            _, result, place = best
            symbols[place : place + 2] = [result]
        return symbols
