"""Which sentences are decoded together."""

from hypothesis import given, settings
from hypothesis import strategies as st

from attendo.decoding.length import MOST_TOGETHER, group_by_length

LENGTHS = st.lists(st.integers(1, 90), max_size=300)


@given(lengths=LENGTHS, tokens=st.integers(1, 4_000), powers_of_two=st.booleans())
@settings(max_examples=60, deadline=None)
def test_each_sentence_once_and_the_longest_first(lengths, tokens, powers_of_two):
    groups = list(group_by_length(lengths, tokens, powers_of_two=powers_of_two))
    indices = [index for group in groups for index in group]
    assert sorted(indices) == list(range(len(lengths)))
    assert [lengths[index] for index in indices] == sorted(lengths, reverse=True)


@given(lengths=LENGTHS, tokens=st.integers(1, 4_000))
@settings(max_examples=60, deadline=None)
def test_a_power_of_two_is_what_the_device_would_compute_anyway(lengths, tokens):
    """Not a row more than the group of as many as fit would have been padded to; only the last is not full."""
    groups = list(group_by_length(lengths, tokens, powers_of_two=True))
    for group in groups:
        fit = max(1, tokens // lengths[group[0]])
        padded = min(1 << (fit - 1).bit_length(), MOST_TOGETHER)
        assert len(group) == padded or (group is groups[-1] and len(group) < padded)


def test_rows_that_are_computed():
    """Sentences of 40 tokens by a beam of 4 and 60,000 tokens: 375 would be padded to 512."""
    lengths = [40] * 5_120
    together = [len(group) for group in group_by_length(lengths, 60_000 // 4)]
    filled = [len(group) for group in group_by_length(lengths, 60_000 // 4, powers_of_two=True)]
    assert together[0] == 375
    assert filled == [512] * 10
    assert sum(1 << (count - 1).bit_length() for count in together) == 13 * 512 + 256
