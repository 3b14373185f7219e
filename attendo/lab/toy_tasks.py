"""Tasks that a small model learns in seconds, each needing something attention is said to give."""

import torch

from attendo.data.batch import Batch

FIRST_SYMBOL = 4  # after pad, <s>, </s> and <unk>


def reversal(num_pairs: int, lengths: range, num_symbols: int, generator: torch.Generator) -> Batch:
    """Say the source backwards: position i of the target must look at position n - i of the source.

    7 5 9 </s>  ->  9 5 7 </s>
    """
    pairs = []
    for length in torch.randint(lengths.start, lengths.stop, (num_pairs,), generator=generator).tolist():
        symbols = torch.randint(FIRST_SYMBOL, FIRST_SYMBOL + num_symbols, (length,), generator=generator).tolist()
        pairs.append((symbols, symbols[::-1]))
    return Batch.from_pairs(pairs)
