"""Tasks that a small model learns in seconds, each needing something attention is said to give."""

from itertools import accumulate

import torch

from attendo.data.batch import Batch
from attendo.special_tokens import SPECIAL

FIRST_SYMBOL = 4  # after pad, <s>, </s> and <unk>


def reversal(num_pairs: int, lengths: range, num_symbols: int, generator: torch.Generator) -> Batch:
    """Say the source backwards: position i of the target must look at position n - i of the source.

    7 5 9 </s>  ->  9 5 7 </s>
    """
    return Batch.from_pairs([(row, row[::-1]) for row in draw_rows(num_pairs, lengths, num_symbols, generator)])


def reversal_of_length(length: int, num_symbols: int, num_pairs: int, generator: torch.Generator) -> Batch:
    """The same where all have one length, drawn in one go: ten times as fast, which counts where steps are many."""
    x = torch.randint(FIRST_SYMBOL, FIRST_SYMBOL + num_symbols, (num_pairs, length), generator=generator)
    begin, end = (torch.full((num_pairs, 1), token) for token in (SPECIAL.bos, SPECIAL.eos))
    y = x.flip(1)
    return Batch(torch.cat((x, end), 1), torch.cat((begin, y), 1), torch.cat((y, end), 1), num_pairs * (length + 1))


def copying(num_pairs: int, lengths: range, num_symbols: int, generator: torch.Generator) -> Batch:
    """Say the source again: position i of the target must look at position i of the source."""
    return Batch.from_pairs([(row, row) for row in draw_rows(num_pairs, lengths, num_symbols, generator)])


def turned(num_pairs: int, length: int, num_symbols: int, generator: torch.Generator) -> Batch:
    """Each position has the symbol to its right, the last one the first: they look at each other in a circle.

    7 5 9 </s>  ->  5 9 7 </s>
    """
    rows = draw_rows(num_pairs, range(length, length + 1), num_symbols, generator)
    return Batch.from_pairs([(row, row[1:] + row[:1]) for row in rows])


def running_sum(num_pairs: int, lengths: range, num_symbols: int, generator: torch.Generator) -> Batch:
    """The sum so far, modulo the number of symbols: fetching x_i is copying, adding it to y_{i-1} is computing.

    As numbers from 0, modulo 3:  1 2 2 </s>  ->  1 0 2 </s>
    """
    rows = draw_rows(num_pairs, lengths, num_symbols, generator)
    sums = [accumulate(symbol - FIRST_SYMBOL for symbol in row) for row in rows]
    return Batch.from_pairs(
        [(row, [FIRST_SYMBOL + y % num_symbols for y in ys]) for row, ys in zip(rows, sums, strict=True)]
    )


def random_table(num_symbols: int) -> torch.Tensor:
    """A symbol for each pair of symbols, without rhyme or reason: it can only be learnt by heart."""
    return torch.randint(num_symbols, (num_symbols, num_symbols), generator=torch.Generator().manual_seed(0))


def draw_rows(num_rows: int, lengths: range, num_symbols: int, generator: torch.Generator) -> list[list[int]]:
    """Rows of symbols, each length and each symbol equally likely."""
    return [
        torch.randint(FIRST_SYMBOL, FIRST_SYMBOL + num_symbols, (length,), generator=generator).tolist()
        for length in torch.randint(lengths.start, lengths.stop, (num_rows,), generator=generator).tolist()
    ]
