"""Which numbers dropout keeps: a hash of their index and of a seed, so that the backward pass need not be told.

`written_out.kept` is the same in torch, number by number. Philox, which torch draws by, would be several times the work
of everything else in the programs that use this; for dropout it is enough that neighbours do not look alike.
"""

import triton
import triton.language as tl


@triton.jit
def kept(index, seed, threshold):
    """index: int32 numbers of any shape; seed: where two int32 lie -> True where a number stays.

    threshold: the share to drop, in parts of 2^24.
    """
    first = tl.load(seed).to(tl.uint32, bitcast=True)
    second = tl.load(seed + 1).to(tl.uint32, bitcast=True)
    mixed = index.to(tl.uint32, bitcast=True) + first
    mixed ^= mixed >> 16
    mixed *= 0x7FEB352D
    mixed ^= mixed >> 15
    mixed ^= second
    mixed *= 0x846CA68B
    mixed ^= mixed >> 16
    return (mixed >> 8).to(tl.int32) >= threshold
