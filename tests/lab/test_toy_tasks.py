import torch

from attendo.lab.tools.toy_tasks import reversal


def test_reversal_is_reversed_and_in_range():
    batch = reversal(50, range(2, 6), 10, torch.Generator().manual_seed(3))
    lengths = set()
    for source, target in zip(batch.source.tolist(), batch.target_out.tolist(), strict=True):
        symbols = source[: source.index(2)]
        assert target[: target.index(2)] == symbols[::-1]
        assert all(4 <= symbol < 14 for symbol in symbols)
        lengths.add(len(symbols))
    assert lengths == {2, 3, 4, 5}


def test_the_generator_decides():
    first, again, other = (reversal(4, range(1, 5), 9, torch.Generator().manual_seed(s)).source for s in (1, 1, 2))
    assert torch.equal(first, again)
    assert first.shape != other.shape or not torch.equal(first, other)
