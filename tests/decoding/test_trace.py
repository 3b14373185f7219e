"""A watched search: the same answer, and steps that tell the truth about it."""

import pytest
import torch

from attendo.decoding.beam import beam_search
from attendo.decoding.constraints import log_probabilities
from attendo.decoding.options import SearchOptions
from attendo.special_tokens import SPECIAL
from tests.decoding.families import FAMILIES, VOCAB, model_of, padded, sentences

every_family = pytest.mark.parametrize("family", FAMILIES)


def watched(model, source, max_length, options):
    """The answers, and the steps of each sentence."""
    steps = []
    answers = beam_search(model, source, max_length, options, on_step=steps.append)
    return answers, [[step for step in steps if step.sentence == sentence] for sentence in range(len(source))]


def ids_after(step, contender):
    return (*step.live[contender.parent].ids, contender.token)


@every_family
@pytest.mark.parametrize("size", [1, 3])
def test_watching_changes_nothing_and_the_best_of_the_trace_is_the_answer(family, size):
    model, source = model_of(family, eos=1.0), padded(sentences(8))
    options = SearchOptions(beam_size=size, n_best=min(size, 2), length_penalty=0.6)
    answers, traces = watched(model, source, 7, options)
    assert answers == beam_search(model, source, 7, options)
    for found, steps in zip(answers, traces, strict=True):
        assert list(steps[-1].finished[: options.n_best]) == found
        assert [step.number for step in steps] == list(range(1, len(steps) + 1))
        assert [step.done for step in steps] == [False] * (len(steps) - 1) + [True]


@every_family
def test_every_step_follows_from_the_one_before(family):
    model, source = model_of(family, eos=1.0), padded(sentences(8))
    fates, longest = set(), [3, 9, 9, 9, 9, 9, 9, 9]
    traces = watched(model, source, longest, SearchOptions(beam_size=3, stop="exact"))[1]
    for steps, last in zip(traces, longest, strict=True):
        assert [hypothesis.ids for hypothesis in steps[0].live] == [()]
        for step, following in zip(steps, [*steps[1:], None], strict=True):
            kept, ended, lost = (
                [one for one in step.contenders if one.fate == fate] for fate in ("live", "ended", "lost")
            )
            assert len(kept) + len(ended) + len(lost) == len(step.contenders) <= 6
            assert len(kept) <= 3
            assert all(one.token == SPECIAL.eos or step.number == last for one in ended)
            finished = {each.ids for each in step.finished}
            assert {ids_after(step, one) for one in ended} <= finished
            assert not {ids_after(step, one) for one in lost} & finished
            for one in step.contenders:
                assert one.total == pytest.approx(step.live[one.parent].total + one.log_prob, abs=1e-9)
            if following is not None:
                assert [ids_after(step, one) for one in kept] == [hypothesis.ids for hypothesis in following.live]
            fates |= {one.fate for one in step.contenders}
    assert fates == {"live", "ended", "lost"}


@every_family
def test_the_contenders_are_the_best_of_all_continuations(family):
    """Against every continuation of every live hypothesis, from a model without a cache."""
    model, source = model_of(family, eos=0.5), padded(sentences(1, seed=3))
    for step in watched(model, source, 6, SearchOptions(beam_size=2, stop="exact"))[1][0]:
        every = []
        for parent, hypothesis in enumerate(step.live):
            with torch.inference_mode():
                logits = model(source, torch.tensor([[SPECIAL.bos, *hypothesis.ids]]))[0, -1]
            log_probs = log_probabilities(logits).tolist()
            every += [(hypothesis.total + log_probs[token], parent, token) for token in range(2, VOCAB)]
        best = sorted(every, reverse=True)[:4]
        assert [(one.parent, one.token) for one in step.contenders] == [(parent, token) for _, parent, token in best]
        assert [one.total for one in step.contenders] == pytest.approx([total for total, *_ in best], abs=1e-9)


def test_greedy_steps_show_the_chosen_token_before_the_others():
    model, source = model_of("transformer", eos=1.0), padded(sentences(4))
    answers, traces = watched(model, source, 5, SearchOptions(beam_size=1))
    for (found,), steps in zip(answers, traces, strict=True):
        assert tuple(step.contenders[0].token for step in steps) == found.ids
        assert [step.contenders[0].log_prob for step in steps] == pytest.approx(list(found.token_log_probs))
        assert all(one.fate == "lost" for step in steps for one in step.contenders[1:])
        assert [step.contenders[0].fate for step in steps] == ["live"] * (len(steps) - 1) + ["ended"]
        for step in steps:
            totals = [one.total for one in step.contenders]
            assert totals == sorted(totals, reverse=True)
