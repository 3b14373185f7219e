"""Beam search of all sentences as tensors against one sentence at a time with lists: equal to the last bit."""

from dataclasses import replace
from itertools import chain

import pytest
import torch

from attendo.decoding.beam import beam_search
from attendo.decoding.constraints import ForcedPrefix
from attendo.decoding.options import SearchOptions
from attendo.decoding.phrases import Phrases
from attendo.errors import InputError
from tests.decoding.families import FAMILIES, VOCAB, model_of, padded, sentences
from tests.reference import beam_by_sentence as reference

OPTIONS = {
    "plain": SearchOptions(beam_size=4, n_best=4),
    "two": SearchOptions(beam_size=2, n_best=1),
    "wide": SearchOptions(beam_size=8, n_best=3, length_penalty=0.6),
    "wider than the vocabulary": SearchOptions(beam_size=40, n_best=40),
    "no penalty": SearchOptions(beam_size=4, n_best=2, length_penalty=0.0),
    "short ones win": SearchOptions(beam_size=4, n_best=2, length_penalty=-1.0),
    "long ones win": SearchOptions(beam_size=4, n_best=4, length_penalty=2.0),
    "n-grams": SearchOptions(beam_size=4, n_best=2, no_repeat_ngram=2),
    "no way out": SearchOptions(beam_size=3, n_best=3, no_repeat_ngram=1, min_length=20),
    "repetition": SearchOptions(beam_size=4, n_best=2, repetition_penalty=1.7),
    "minimum": SearchOptions(beam_size=4, n_best=2, min_length=6),
}


def compare(model, source, longest, options, constraints=(), *, trace=True):
    """The answers, which are equal; and the steps, if there are so many contenders to compare."""
    steps, expected_steps = [], []
    expected = reference.beam_search(model, source, longest, options, constraints, expected_steps.append)
    found = beam_search(model, source, longest, options, constraints, steps.append)
    assert found == expected
    assert found == beam_search(model, source, longest, options, constraints)
    assert not trace or steps == expected_steps
    return found


IN_SINGLE_PRECISION = ("plain", "long ones win")  # the rules are the same in both; the rounding is not


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("stop", ["exact", "early"])
@pytest.mark.parametrize(
    ("name", "dtype"),
    [*((name, torch.float64) for name in OPTIONS), *((name, torch.float32) for name in IN_SINGLE_PRECISION)],
)
def test_every_option(name, stop, family, dtype):
    """Ragged sources, a maximum for each sentence, some past the room for 32 steps that there is at first."""
    model, source = model_of(family, dtype=dtype, eos=1.0), padded(sentences(7))
    longest = [(3, 40, 9, 1, 12)[n % 5] for n in range(7)]
    found = compare(model, source, longest, replace(OPTIONS[name], stop=stop))
    assert len({len(each.ids) for each in chain(*found)}) > 1


@pytest.mark.parametrize("family", FAMILIES)
def test_prefixes_and_phrases(family):
    model, source = model_of(family, eos=1.0), padded(sentences(6))
    options = SearchOptions(beam_size=4, n_best=3, stop="exact")
    compare(model, source, 9, options, [ForcedPrefix([[5, 6], [], [7], [], [], [3, 3, 3, 3]])])
    phrases = Phrases([[[5, 6], [7]], [], [[8]], [[9, 10, 9]], [[4], [11, 4]], []])
    compare(model, source, 14, options, [phrases], trace=False)
    compare(
        model,
        source,
        14,
        SearchOptions(beam_size=3, no_repeat_ngram=2, min_length=5, stop="exact"),
        [phrases],
        trace=False,
    )


def test_equals_stand_in_the_same_order():
    for size, seed in ((2, 1), (3, 2), (5, 3)):
        model = model_of("transformer", eos=1.0, seed=seed)
        model.output.register_forward_hook(lambda _, inputs, logits: logits.round())
        compare(model, padded(sentences(6, seed=seed)), 9, SearchOptions(beam_size=size, n_best=size, stop="exact"))


def test_what_is_not_a_number_is_an_error_with_phrases_too():
    model = model_of("transformer")
    with torch.no_grad():
        model.output.weight[7] = torch.nan
    with pytest.raises(InputError, match="NaN"):
        beam_search(model, torch.tensor([[3, 2]]), 9, SearchOptions(), [Phrases([[[5, VOCAB - 1]]])])
