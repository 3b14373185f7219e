"""Greedy and beam search: the tree is that of decoding/, step by step, and the text that of `attendo translate`."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import torch

import attendo
from attendo.decoding.beam import beam_search as torch_search
from attendo.decoding.options import SearchOptions
from attendo.errors import InputError
from attendo.glass.hands import Hands
from attendo.glass.look import look
from attendo.glass.search import ROOT, beam_search, best, is_done
from attendo.glass.transformer import encode
from attendo.translation.options import TranslationOptions
from benchmarks.behaviour.inputs import DIRECTIONS
from tests.glass.sentences import glass, texts, torch_model
from tests.glass.test_kinds import SOURCE, random_model
from tests.glass.torch_witness import EVERY_HAND, ForcedAt, Reread, glass_of, under

APART = 1e-4  # totals of 9 tokens in float32 differ by a tenth of it between torch and numpy
SENTENCES = {
    "en": {"zh": "你能告诉我最近的地铁站在哪里吗？", "de": "Wie viel kostet eine Fahrkarte nach Berlin?"},
    "zh": {"en": "She wrote a letter to her old teacher."},
    "de": {"en": "Close the window, please, before {name} leaves at 5:30."},
}


def clear_search(options, hands, **choices):
    """Of the first random model whose candidates are all told apart by more than rounding: between equals each side
    may choose, and which of them rounding prefers hangs on the processor."""
    for seed in range(1, 30):
        tree, hypotheses, steps = searched(random_model(seed, **choices), options, hands)
        gaps = [one.total - other.total for step in steps for one, other in pairwise(step.contenders)]
        if min(gaps) > APART:
            return tree, hypotheses, steps
    raise AssertionError("every model has candidates that are almost equal")


def searched(model, options, hands, max_length=9):
    """The same search by both: the tree, and torch's hypotheses with their steps."""
    ours = glass_of(model)
    tree = beam_search(ours, encode(ours, np.array(SOURCE), hands=hands), max_length, options, hands)
    steps = []
    with under(model, hands):
        witness = Reread(model, hands)
        found = torch_search(witness, torch.tensor([SOURCE]), max_length, options, [ForcedAt(hands)], steps.append)
    return tree, found[0], steps


def assert_same_tree(tree, hypotheses, steps):
    assert [tree.hypothesis(node).ids for node in tree.finished[: len(hypotheses)]] == [one.ids for one in hypotheses]
    for ours, theirs in zip(tree.finished, hypotheses, strict=False):
        assert tree.hypothesis(ours).score == pytest.approx(theirs.score, abs=1e-5)
        assert tree.hypothesis(ours).token_log_probs == pytest.approx(theirs.token_log_probs, abs=1e-5)
    assert max(node.step for node in tree.nodes) == len(steps)
    for step in steps:
        nodes = tree.at_step(step.number)
        written = [tuple(one.piece for one in tree.path(node.id)) for node in nodes]
        assert written == [(*step.live[one.parent].ids, one.token) for one in step.contenders]
        fates = ["ended" if node.kept and node.ended else "live" if node.kept else "lost" for node in nodes]
        assert fates == [one.fate for one in step.contenders]
        assert [node.rank for node in nodes] == list(range(1, len(nodes) + 1))
        assert [node.total for node in nodes] == pytest.approx([one.total for one in step.contenders], abs=1e-4)


@pytest.mark.parametrize("stop", ["early", "exact"])
@pytest.mark.parametrize("alpha", [0.0, 1.0, -0.5])
@pytest.mark.parametrize("beam", [1, 2, 4, 12])
def test_the_tree_of_a_small_model(beam, alpha, stop):
    options = SearchOptions(beam_size=beam, length_penalty=alpha, stop=stop, n_best=min(beam, 3))
    assert_same_tree(*clear_search(options, Hands(), norm_order="pre"))


@pytest.mark.parametrize("name", EVERY_HAND)
@pytest.mark.parametrize("positions", ["sinusoidal", "rotary"])
def test_the_tree_under_every_hand(name, positions):
    options = SearchOptions(beam_size=3)
    assert_same_tree(*clear_search(options, EVERY_HAND[name], positions=positions, tied_output=False))


def test_a_forced_piece_comes_at_its_step():
    tree, _, _ = searched(random_model(), SearchOptions(beam_size=2), Hands(force={2: 9, 4: 2}))
    assert all(node.piece == 9 for node in tree.at_step(2))
    assert all(tree.nodes[node].step <= 4 for node in tree.finished)
    assert tree.best.ids[1] == 9


def test_equals_stand_in_the_order_of_rows_then_of_ids():
    totals = np.array([[0.0, 2.0, 2.0, -np.inf], [2.0, 1.0, 3.0, -np.inf]])
    assert best(totals, 4) == [(1, 2), (0, 1), (0, 2), (1, 0)]
    assert best(totals, 3) == [(1, 2), (0, 1), (0, 2)]
    assert best(totals, 99) == [(1, 2), (0, 1), (0, 2), (1, 0), (1, 1), (0, 0)]


@pytest.mark.parametrize(("alpha", "score", "done"), [(1.0, -0.4, False), (1.0, -0.3, True), (-0.5, -4.5, True)])
def test_the_exact_stop_asks_for_the_best_score_that_can_come(alpha, score, done):
    """A live total of -3 at step 2 of 9: at best -3/9 where length helps, -3·√3 = -5.2 where it harms."""
    live, finished = replace(ROOT, total=-3.0), replace(ROOT, score=score)
    options = SearchOptions(beam_size=2, length_penalty=alpha, stop="exact")
    assert is_done([live], [finished], 2, 9, options) is done
    assert not is_done([live], [], 2, 9, options)
    assert is_done([], [finished], 2, 9, options)


def test_what_the_glass_does_not_search_by():
    with pytest.raises(InputError, match="without min_length"):
        look("你好", "en", model=glass(), search=SearchOptions(no_repeat_ngram=3))


@pytest.mark.parametrize("beam", [1, 4])
def test_the_text_is_that_of_translate(beam):
    translator = attendo.load(engine="torch", device="cpu", threads=1)
    options = TranslationOptions(beam=beam, wider_retry=False)
    for source, target in DIRECTIONS:
        text = SENTENCES[target][source]
        theirs = translator.translate(text, to=target, from_=source, options=options)
        ours = look(text, target, source, glass(), beam)
        assert ours.translation == theirs.text
        assert ours.best.ids == theirs.sentences[0].hypothesis.ids
        assert ours.best.score == pytest.approx(theirs.sentences[0].hypothesis.score, abs=1e-5)


def test_some_odd_texts_are_searched_alike():
    """Names, numbers, emoji: not all that `translate` takes apart or leaves alone, but what the model is asked."""
    short = [one for one in texts() if 3 < len(one[2]) < 40]
    for source, target, text in short[3::25]:
        ours = look(text, target, source, glass(), 2)
        ids = torch.tensor([ours.source])
        length = ours.read.request.max_length
        theirs = torch_search(torch_model(), ids, length, SearchOptions(beam_size=2))[0][0]
        assert ours.best.ids == theirs.ids, text
