"""The selection by chunks against the one that asks `topk`, and against a stable sort of everything."""

import pytest
import torch

from attendo.decoding.candidates import best_tokens
from attendo.engines.cuda.selection import best_in_chunks, highest_of_chunks


@pytest.mark.parametrize("values", [2, 5, 10_000])
@pytest.mark.parametrize(("vocab", "count"), [(4, 4), (5, 4), (9, 8), (17, 8), (40, 2), (1000, 8), (1000, 300)])
def test_the_best_of_each_row_lower_ids_first(vocab, count, values):
    scores = torch.randint(values, (50, vocab)).double()
    scores[scores == 0] = -torch.inf
    found, ids = best_in_chunks(scores, count)
    expected = scores.sort(dim=1, descending=True, stable=True).indices[:, :count].sort(dim=1).values
    assert ids.tolist() == expected.tolist()
    assert found.tolist() == scores.gather(1, expected).tolist()
    if values > vocab or (scores > -torch.inf).all():
        assert ids.tolist() == best_tokens(scores, count)[1].tolist()


def test_what_is_not_a_number_comes_first():
    scores = torch.zeros(1, 100)
    scores[0, 77] = torch.nan
    assert 77 in best_in_chunks(scores, 4)[1].tolist()[0]


def test_chunks():
    scores = torch.tensor([[1.0, 5, 2, 2, 9]])
    assert highest_of_chunks(scores, 2).tolist() == [[5.0, 2.0, 9.0]]
    assert highest_of_chunks(scores[:, :4], 2).tolist() == [[5.0, 2.0]]
