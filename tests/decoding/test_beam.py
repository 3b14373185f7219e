"""Beam search against greedy search, exhaustive search, itself without a cache, and a count of its steps."""

import pytest
import torch

from attendo.decoding.beam import beam_search
from attendo.decoding.beam_rules import Beams
from attendo.decoding.constraints import NoRepeatNgram
from attendo.decoding.greedy import greedy_search
from attendo.decoding.hypothesis import score
from attendo.decoding.options import SearchOptions
from attendo.decoding.scoring import score_targets
from attendo.errors import InputError
from tests.decoding.families import FAMILIES, model_of, padded, sentences
from tests.reference.beam_by_sentence import best_reachable
from tests.reference.exhaustive_search import best_targets, every_target

every_family = pytest.mark.parametrize("family", FAMILIES)
ALPHAS = [-0.5, 0, 0.6, 1, 2]


class WithoutCache:
    """A model that reads everything anew at every step: the state is the ids themselves."""

    class State:
        def __init__(self, source):
            self.source, self.target = source, source[:, :0]

        def reorder(self, index):
            self.source, self.target = self.source[index.flatten()], self.target[index.flatten()]

    def __init__(self, model):
        self.model = model

    def start_decoding(self, source):
        return self.State(source)

    def next_token_logits(self, tokens, state):
        state.target = torch.cat((state.target, tokens), 1)
        return self.model(state.source, state.target)[:, -1]


def ids_of(answers):
    return [[hypothesis.ids for hypothesis in of_one] for of_one in answers]


@every_family
@pytest.mark.parametrize("alpha", ALPHAS)
def test_a_beam_of_one_is_greedy_search(family, alpha):
    model, source = model_of(family, eos=1.5), padded(sentences(20))
    greedy = greedy_search(model, source, 8, length_penalty=alpha)
    beam = beam_search(model, source, 8, SearchOptions(beam_size=1, length_penalty=alpha))
    assert [[each] for each in greedy] == beam
    assert len({len(each.ids) for each in greedy}) > 1


@every_family
def test_a_beam_as_wide_as_the_space_is_exhaustive_search(family):
    """5 tokens can be said (</s>, 3, 4, 5, 6), so a target of at most 4 has 1 + 4 + 16 + 64 beginnings to live on."""
    for max_length in (1, 2, 3, 4):
        model, source = model_of(family, vocab=7, seed=max_length), torch.tensor([[4, 6, 5, 2]])
        targets = every_target(model, source, max_length)
        assert len(targets) == sum(4**n for n in range(max_length)) + 4**max_length
        for alpha in ALPHAS:
            expected = best_targets(targets, alpha)
            for n_best in (1, 5):
                options = SearchOptions(beam_size=256, length_penalty=alpha, n_best=n_best, stop="exact")
                found = beam_search(model, source, max_length, options)[0]
                assert [each.ids for each in found] == [ids for _, ids, _ in expected[:n_best]]
                for each, (its_score, _, log_prob) in zip(found, expected, strict=False):
                    assert each.score == pytest.approx(its_score, abs=1e-9)
                    assert each.log_prob == pytest.approx(log_prob, abs=1e-9)


@every_family
def test_the_stop_loses_nothing(family, monkeypatch):
    """Every α: stopping when nothing better can come gives what searching to the maximum length gives."""
    model, source = model_of(family, eos=1.0), padded(sentences(10))
    for alpha in ALPHAS:
        options = SearchOptions(beam_size=3, length_penalty=alpha, n_best=2, stop="exact")
        found = ids_of(beam_search(model, source, 7, options))
        with monkeypatch.context() as patient:
            patient.setattr(Beams, "is_done", lambda beams, totals, length, options: totals.amax(1) == -torch.inf)
            assert found == ids_of(beam_search(model, source, 7, options))


def test_what_an_unfinished_hypothesis_can_reach():
    for alpha in (-1.0, -0.5, 0.0, 0.6, 1.0, 2.0):
        for length in range(6):
            possible = [score(-3.0, final, alpha) for final in range(length + 1, 8)]
            assert best_reachable(-3.0, length, 7, alpha) == max(possible)


@every_family
def test_the_cache_changes_nothing(family):
    model, source = model_of(family, eos=1.0), padded(sentences(6))
    for options in (SearchOptions(beam_size=3, n_best=3, stop="exact"), SearchOptions(beam_size=1)):
        plain, cached = (beam_search(each, source, 7, options) for each in (WithoutCache(model), model))
        assert ids_of(plain) == ids_of(cached)
        for one, other in zip(plain, cached, strict=True):
            assert one[0].token_log_probs == pytest.approx(other[0].token_log_probs, abs=1e-10)


@every_family
def test_n_best_are_distinct_sorted_and_what_the_model_says(family):
    model, source = model_of(family, eos=1.0), padded(sentences(8))
    options = SearchOptions(beam_size=5, n_best=5, length_penalty=0.6, stop="exact")
    for row, answers in enumerate(beam_search(model, source, 7, options)):
        assert len({each.ids for each in answers}) == len(answers) == 5
        assert [each.score for each in answers] == sorted((each.score for each in answers), reverse=True)
        targets = padded([each.ids for each in answers])
        all_scored = score_targets(model, source[row : row + 1].expand(len(answers), -1), targets, length_penalty=0.6)
        for found, scored in zip(answers, all_scored, strict=True):
            assert found.ids == scored.ids
            assert found.log_prob == pytest.approx(scored.log_prob, abs=1e-9)
            assert found.score == pytest.approx(scored.score, abs=1e-9)
            assert found.token_log_probs == pytest.approx(scored.token_log_probs, abs=1e-9)


@every_family
@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_alone_as_in_a_batch_of_64_in_any_order_with_any_padding(family, dtype):
    model, rows = model_of(family, dtype=dtype, eos=1.0), sentences(64)
    longest = [4 + n % 5 for n in range(64)]
    order = torch.randperm(64).tolist()
    for options in (SearchOptions(beam_size=1), SearchOptions(beam_size=4, n_best=2, stop="exact")):
        together = ids_of(beam_search(model, padded(rows), longest, options))
        shuffled = ids_of(
            beam_search(model, padded([rows[n] for n in order], width=14), [longest[n] for n in order], options)
        )
        assert shuffled == [together[n] for n in order]
        for n in range(0, 64, 6):
            assert ids_of(beam_search(model, padded([rows[n]], width=n), longest[n], options)) == [together[n]]


def test_the_encoder_runs_once_and_n_tokens_take_n_steps():
    model = model_of("transformer", eos=-50.0)
    runs = {"encoder": 0, "decoder": 0, "cross keys": 0}
    rows = []
    model.encoder.register_forward_hook(lambda *_: runs.update(encoder=runs["encoder"] + 1))
    model.decoder.register_forward_hook(lambda *_: runs.update(decoder=runs["decoder"] + 1))
    model.decoder.register_forward_pre_hook(lambda _, inputs: rows.append((len(inputs[0]), len(inputs[1]))))
    key = model.decoder.layers[0].cross_attention.key
    key.register_forward_hook(lambda *_: runs.update({"cross keys": runs["cross keys"] + 1}))
    for options in (SearchOptions(beam_size=1), SearchOptions(beam_size=4, stop="exact")):
        for name in runs:
            runs[name] = 0
        found = beam_search(model, padded(sentences(3)), [2, 9, 5], options)
        assert [len(each[0].ids) for each in found] == [2, 9, 5]
        assert runs == {"encoder": 1, "decoder": 9, "cross keys": 1}
    # Rows that are decoded and sentences whose memory is kept: the finished leave, beams share one memory.
    greedy, beam = rows[:9], rows[9:]
    assert greedy == [(3, 3)] * 2 + [(2, 2)] * 3 + [(1, 1)] * 4
    assert beam == [(3, 3), (12, 3)] + [(8, 2)] * 3 + [(4, 1)] * 4


class Fixed:
    """Says the same logits at every step, whatever it is fed; remembers how often it was asked."""

    class State:
        def reorder(self, index):
            pass

    def __init__(self, logits):
        self.logits, self.steps = torch.tensor(logits), 0

    def start_decoding(self, source):
        return self.State()

    def next_token_logits(self, tokens, state):
        self.steps += 1
        return self.logits.expand(len(tokens), -1)


def test_ties_go_to_the_lower_beam_and_then_to_the_lower_id():
    nothing_differs = Fixed([0.0] * 9)
    options = SearchOptions(beam_size=3, n_best=3, min_length=3, stop="exact")
    found = beam_search(nothing_differs, torch.tensor([[5, 2]]), 3, options)[0]
    assert [each.ids for each in found] == [(3, 3, 2), (3, 3, 3), (3, 3, 4)]
    assert greedy_search(nothing_differs, torch.tensor([[5, 2]]), 3)[0].ids == (2,)
    assert nothing_differs.logits.tolist() == [0.0] * 9


def test_early_stops_with_the_first_full_beam_and_exact_goes_on():
    """Two hypotheses have ended after two steps; but with α = 1 a longer one has the better score."""
    model = Fixed([-50.0, -50.0, 3.0, 2.9, 0.0])
    source = torch.tensor([[3, 2]])
    exact = SearchOptions(beam_size=2, length_penalty=2.0, stop="exact")
    early = SearchOptions(beam_size=2, length_penalty=2.0, stop="early")
    quick = beam_search(model, source, 12, early)[0][0]
    steps, model.steps = model.steps, 0
    patient = beam_search(model, source, 12, exact)[0][0]
    assert steps == 2
    assert model.steps == 12
    assert patient.score > quick.score


def test_a_sentence_with_no_way_out_is_cut_and_others_go_on():
    """With 3 and 4 said once and </s> not yet allowed there is nothing left to say."""
    model, source = Fixed([0.0, 0.0, 1.0, 2.0, 3.0]), torch.tensor([[3, 2]])
    for size in (1, 3):
        options = SearchOptions(beam_size=size, min_length=5, stop="exact")
        found = beam_search(model, source, 9, options, [NoRepeatNgram(1)])[0]
        assert found[0].ids == (4, 3)
        assert not found[0].ended


def test_bad_calls_are_refused_in_words():
    source, options = torch.tensor([[3, 2], [4, 2]]), SearchOptions(beam_size=2, stop="exact")
    with pytest.raises(InputError, match="3 maximum lengths for 2 sentences"):
        beam_search(Fixed([0.0] * 5), source, [1, 2, 3], options)
    with pytest.raises(InputError, match="at least 1"):
        beam_search(Fixed([0.0] * 5), source, 0, options)
    for size in (1, 2):
        with pytest.raises(InputError, match="NaN"):
            beam_search(Fixed([float("nan")] * 9), source, 4, SearchOptions(beam_size=size, stop="exact"))
