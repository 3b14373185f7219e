"""Both engines draw by the model's probabilities, cut exactly where the options cut, and each sentence on its own."""

import math
from collections import Counter

import numpy as np
import pytest
import torch

from attendo.decoding.draw_token import draw_token
from attendo.decoding.options import SamplingOptions, SearchOptions
from attendo.decoding.sampling import draw_tokens
from attendo.decoding.seeds import random_numbers, sentence_seed
from attendo.engines.ct2.engine import load_ct2_engine
from attendo.engines.ct2.sampling import log_probabilities
from attendo.engines.engine import Request
from attendo.engines.torch_engine import load_torch_engine
from attendo.errors import InputError
from attendo.model_folder.bundle import read_bundle
from attendo.model_folder.weights import load_model
from attendo.special_tokens import SPECIAL
from tests.translation.small_translator import save_random

FALSE_ALARM = 1 / 1_000  # of a chi-square test here, over all seeds; the seeds are fixed
Z = 3.09  # that a normal number exceeds as rarely
DRAWS = 1_200
ENGINES = ("torch", "ct2")
every_engine = pytest.mark.parametrize("name", ENGINES)


@pytest.fixture(scope="module")
def bundle(tmp_path_factory):
    return read_bundle(save_random(tmp_path_factory.mktemp("sampling") / "model", ends=4.0))


@pytest.fixture(scope="module")
def engines(bundle, tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ATTENDO_CACHE", str(tmp_path_factory.mktemp("cache")))
        eight_bits = load_ct2_engine(bundle, 2)
        both = {"torch": load_torch_engine(bundle, "cpu", 1), "ct2": load_ct2_engine(bundle, 1, "float32")}
        for engine in (both["ct2"], eight_bits):
            engine.translator  # noqa: B018 - made while the cache is there
        yield both | {"int8": eight_bits}


def requests(count, vocab, max_length=12, seed=0):
    numbers = random_numbers(seed)
    lengths = [1 + int(9 * numbers.random()) for _ in range(count)]
    return [
        Request((5, *(6 + int((vocab - 6) * numbers.random()) for _ in range(length)), SPECIAL.eos), max_length)
        for length in lengths
    ]


def probabilities(logits, options):
    """By the definition, one token after another: what may be drawn, and how likely each is."""
    values = {token: x / options.temperature for token, x in enumerate(logits) if token not in (0, 1)}
    ranked = sorted(values, key=lambda token: (-values[token], token))
    ranked = ranked[: options.top_k or None]
    total = sum(math.exp(values[token] - values[ranked[0]]) for token in ranked)
    share = {token: math.exp(values[token] - values[ranked[0]]) / total for token in ranked}
    kept, mass = {}, 0.0
    for token in ranked:
        if mass >= options.top_p:
            break
        kept[token] = share[token]
        mass += share[token]
    return {token: p / mass for token, p in kept.items()}


def exact(model, source, options):
    """Of each target of one or two tokens its probability."""
    found = {}

    def logits_after(*ids):
        with torch.inference_mode():
            return model(torch.tensor([source]), torch.tensor([[SPECIAL.bos, *ids]]))[0, -1].tolist()

    for first, p in probabilities(logits_after(), options).items():
        if first == SPECIAL.eos:
            found[(first,)] = p
        elif p < 1e-3:
            found[(first,)] = p  # what follows does not matter: few are drawn
        else:
            found |= {(first, second): p * q for second, q in probabilities(logits_after(first), options).items()}
    return found


@every_engine
@pytest.mark.parametrize(
    "options",
    [
        SamplingOptions(),
        SamplingOptions(temperature=0.5, top_k=4),
        SamplingOptions(top_p=0.6),
    ],
    ids=str,
)
def test_targets_are_drawn_as_often_as_the_model_says(bundle, engines, name, options):
    (request,) = requests(1, bundle.model["vocab_size"], max_length=2, seed=4)
    expected = exact(load_model(bundle).double().eval(), request.ids, options)
    assert sum(expected.values()) == pytest.approx(1.0)
    drawn = engines[name].sample([request] * DRAWS, options, seeds=range(DRAWS))
    counts = Counter(one.ids if one.ids in expected else one.ids[:1] for one in drawn)
    assert set(counts) <= set(expected)  # not one beyond the edge of top_k and top_p
    often = [ids for ids, p in expected.items() if DRAWS * p >= 8]
    rest = 1 - sum(expected[ids] for ids in often)
    cells = [(counts[ids], DRAWS * expected[ids]) for ids in often]
    if DRAWS * rest >= 8:
        cells.append((DRAWS - sum(counts[ids] for ids in often), DRAWS * rest))
    chi_square = sum((count - mean) ** 2 / mean for count, mean in cells)
    degrees = len(cells) - 1
    assert degrees >= 3
    share = 2 / (9 * degrees)
    assert chi_square < degrees * (1 - share + Z * share**0.5) ** 3, (chi_square, degrees)  # Wilson and Hilferty


@pytest.mark.parametrize("name", [*ENGINES, "int8"])
def test_towards_temperature_zero_it_is_greedy_search(bundle, engines, name):
    asked = requests(12, bundle.model["vocab_size"])
    greedy = [best.ids for (best,) in engines[name].search(asked, SearchOptions(beam_size=1))]
    assert [one.ids for one in engines[name].sample(asked, SamplingOptions(temperature=1e-6))] == greedy
    assert [one.ids for one in engines[name].sample(asked, SamplingOptions(top_k=1))] == greedy


@pytest.mark.parametrize("name", [*ENGINES, "int8"])
def test_equal_seeds_equal_samples_whatever_the_batch(bundle, engines, name):
    engine, asked, options = engines[name], requests(24, bundle.model["vocab_size"]), SamplingOptions()
    seeds = range(24)
    together = [one.ids for one in engine.sample(asked, options, seeds)]
    assert [one.ids for one in engine.sample(asked, options, seeds)] == together
    backwards = engine.sample(asked[::-1], options, list(seeds)[::-1])
    assert [one.ids for one in backwards][::-1] == together
    for n in (0, 13, 23):
        assert [one.ids for one in engine.sample([asked[n]], options, [n])] == [together[n]]
    assert [one.ids for one in engine.sample(asked, options, range(24, 48))] != together
    assert len(set(engine.sample([asked[0]] * 20, options))) == 1  # all by the seed of the options


def test_both_engines_draw_the_same(bundle, engines):
    """But for the last bits of their numbers, by which a draw at the edge of a step may fall on the next."""
    asked, options = requests(40, bundle.model["vocab_size"]), SamplingOptions(temperature=0.8, top_p=0.95)
    ours, theirs = (engines[name].sample(asked, options, range(40)) for name in ENGINES)
    assert len({one.ids for one in ours}) > 30
    same = [(one, other) for one, other in zip(ours, theirs, strict=True) if one.ids == other.ids]
    assert len(same) >= 38
    for one, other in same:
        assert one.token_log_probs == pytest.approx(other.token_log_probs, abs=2e-3)


def test_the_log_probability_is_the_models_own_and_a_prefix_is_said(bundle, engines):
    asked = [one._replace(prefix=(40, 41) if n % 2 else ()) for n, one in enumerate(requests(8, 300))]
    for name in ENGINES:
        drawn = engines[name].sample(asked, SamplingOptions(temperature=2.0, top_k=20), range(8))
        assert {one.ids[:2] for one in drawn[1::2]} == {(40, 41)}
        scored = engines["torch"].score([(request, one.ids) for request, one in zip(asked, drawn, strict=True)])
        for one, other in zip(drawn, scored, strict=True):
            assert one.token_log_probs == pytest.approx(other.token_log_probs, abs=2e-3)


@pytest.mark.parametrize(
    "options",
    [SamplingOptions(temperature=t, top_k=k, top_p=p) for t in (0.3, 1) for k in (0, 1, 7, 90) for p in (1, 0.8)],
)
def test_numpy_draws_as_torch_does(options):
    torch.manual_seed(5)
    log_probs = torch.randn(60, 80, dtype=torch.float64).mul(2).log_softmax(-1)
    log_probs[::3, 20:40] = -torch.inf
    log_probs[::5, :10] = log_probs[::5, 10:11]  # equals
    uniform = torch.rand(60, dtype=torch.float64)
    uniform[:4] = torch.tensor([0.0, 1 - 2**-53, 0.0, 1 - 2**-53])
    one_by_one = [draw_token(row.numpy(), u, options) for row, u in zip(log_probs, uniform.tolist(), strict=True)]
    assert one_by_one == draw_tokens(log_probs, uniform, options).tolist()


def test_seeds_of_sentences():
    seeds = [
        sentence_seed(seed, ids, draw)
        for seed in (0, 1, 2**63 - 1)
        for ids in ((5, 2), (5, 6, 2))
        for draw in (0, "again 0")
    ]
    assert len(set(seeds)) == len(seeds)
    assert sentence_seed(1, (5, 6, 2)) == 936663362147157403  # what was drawn once is drawn by later versions, too
    assert random_numbers(7).random() == 0.32383276483316237


def test_what_cannot_be_drawn_is_said(bundle, engines):
    request = Request((5, 9, 2), 9)
    for name in ENGINES:
        with pytest.raises(InputError, match="1 seeds for 2 sentences"):
            engines[name].sample([request] * 2, SamplingOptions(), [1])
    with pytest.raises(InputError, match="NaN"):
        log_probabilities(np.array([1.0, np.nan], dtype=np.float32))
