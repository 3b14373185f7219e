"""Texts that go on: by the cache as without it, drawn as often as the model says, and shown in whole characters."""

import math

import pytest
import torch
from torch.nn import functional as F

from attendo.decoding.options import SamplingOptions
from attendo.decoding.seeds import random_numbers
from attendo.errors import ConfigError, InputError
from attendo.evaluation.perplexity import measure_texts
from attendo.generation.language_model import TextStream
from attendo.generation.load import load_language_model
from attendo.model.config import DecoderOnlyConfig
from attendo.special_tokens import SPECIAL
from tests.generation.small_language_model import LLAMA, random_language_model, save_language_model
from tests.translation.small_translator import save_random

LEARNED = DecoderOnlyConfig(
    vocab_size=8, d_model=16, d_ff=32, num_heads=4, num_layers=1, positions="learned", max_length=30
)


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTENDO_CACHE", str(tmp_path / "cache"))


def next_log_probs(model, ids):
    """Without a cache: the whole text anew."""
    with torch.no_grad():
        logits = model.engine.model.language_model(torch.tensor([ids]))[0, -1].double()
    logits[[SPECIAL.pad, SPECIAL.bos]] = -math.inf
    return logits.log_softmax(-1)


@pytest.mark.parametrize("config", [LLAMA, LEARNED], ids=["rotary", "learned"])
@pytest.mark.parametrize("prompt", ["", "春眠"])
def test_with_the_cache_as_without_it(tmp_path, config, prompt):
    """Greedy is the argmax of each step, written out; and so is every draw of a sample."""
    model = random_language_model(tmp_path / "model", config=config)
    beginning = [SPECIAL.bos, *model.tokenizer.encode(prompt)]
    ids = list(beginning)
    while len(ids) < len(beginning) + 20 and ids[-1] != SPECIAL.eos:
        ids.append(int(next_log_probs(model, ids).argmax()))
    assert list(model.engine.stream(beginning, 20, None)) == ids[len(beginning) :]

    options, numbers, ids = SamplingOptions(temperature=0.7, seed=5), random_numbers(5), list(beginning)
    while len(ids) < len(beginning) + 20 and ids[-1] != SPECIAL.eos:
        stairs = (next_log_probs(model, ids) / 0.7).softmax(-1).cumsum(-1)
        ids.append(int(torch.searchsorted(stairs, numbers.random() * stairs[-1], right=True)))
    assert list(model.engine.stream(beginning, 20, options)) == ids[len(beginning) :]


def test_tokens_are_drawn_as_often_as_the_model_says(tmp_path):
    """Pearson's χ² of 1,500 first tokens among the 12 likeliest: 11 degrees of freedom, one run in 1,000 above 31.3."""
    model = random_language_model(tmp_path / "model", engine="ct2")
    torch_model = load_language_model(tmp_path / "model", engine="torch", device="cpu")
    p = (next_log_probs(torch_model, [SPECIAL.bos]) / 1.5).softmax(-1)
    top = p.topk(12)
    expected = dict(zip(top.indices.tolist(), (top.values / top.values.sum()).tolist(), strict=True))
    drawn = [
        next(model.engine.stream([SPECIAL.bos], 1, SamplingOptions(temperature=1.5, top_k=12, seed=seed)))
        for seed in range(1_500)
    ]
    assert set(drawn) <= set(expected)
    chi_square = sum((drawn.count(token) - 1_500 * q) ** 2 / (1_500 * q) for token, q in expected.items())
    assert chi_square < 31.3


def test_the_second_of_three_is_the_second_of_ten(tmp_path):
    model = random_language_model(tmp_path / "model")
    sampling = SamplingOptions(seed=7)
    three, ten = (list(model.generate("春", samples=n, max_length=8, sampling=sampling)) for n in (3, 10))
    assert three == ten[:3]
    assert [text.seed for text in three] == [7, 8, 9]
    assert len({text.continuation for text in ten}) > 5
    assert all(text.text == "春" + text.continuation and text.tokens <= 8 for text in ten)
    greedy = [*model.generate("春", samples=2, max_length=8)]
    assert greedy[0] == greedy[1]
    assert greedy[0].seed is None


def test_a_stream_gives_whole_characters(tmp_path):
    """A character may be several tokens, a byte each; what never becomes one is U+FFFD."""
    tokenizer = random_language_model(tmp_path / "model").tokenizer
    unknown = tokenizer.encode("雪")
    assert len(unknown) == 3
    pieces = [*tokenizer.encode("春"), *unknown, *tokenizer.encode("a"), unknown[0], SPECIAL.eos]
    stream = TextStream(tokenizer, "", pieces, None)
    assert list(stream) == ["春", "雪", "a", "\N{REPLACEMENT CHARACTER}"]
    text = TextStream(tokenizer, "x", pieces, None).finish()
    assert (text.text, text.ended, text.tokens) == ("x春雪a\N{REPLACEMENT CHARACTER}", True, len(pieces))


@pytest.mark.parametrize("engine", ["torch", "ct2"])
def test_perplexity_is_torchs_cross_entropy(tmp_path, engine):
    model = random_language_model(tmp_path / "model", engine=engine)
    network = load_language_model(tmp_path / "model", engine="torch", device="cpu").engine.model
    texts = ["春眠不觉晓", "雪 spring rain", "", "花"]
    total, tokens = 0.0, 0
    for text in filter(None, texts):
        ids = model.tokenizer.encode(text)
        logits = network.language_model(torch.tensor([[SPECIAL.bos, *ids]])).detach()
        total += float(F.cross_entropy(logits[0], torch.tensor([*ids, SPECIAL.eos]), reduction="sum"))
        tokens += len(ids) + 1
    found = measure_texts(model, texts)
    assert (found.lines, found.tokens, found.characters, found.words) == (3, tokens, 22, None)
    assert found.byte_tokens == 3
    assert found.per_token == pytest.approx(math.exp(total / tokens), rel=1e-5)
    assert found.per_character == pytest.approx(math.exp(total / 22), rel=1e-5)
    assert found.bits_per_character == pytest.approx(total / 22 / math.log(2), rel=1e-5)
    spaced = measure_texts(model, ["spring rain", "rain"])
    assert spaced.words == 5
    assert spaced.per_word == pytest.approx(math.exp(-spaced.log_prob / 5))


def test_a_prompt_without_room_is_told(tmp_path):
    model = random_language_model(tmp_path / "model", config=LEARNED)
    with pytest.raises(InputError, match="the prompt has 40 tokens: this model reads at most 28"):
        next(model.generate("春" * 40))
    assert next(model.generate("春" * 28, max_length=9)).tokens == 1, "what room is left is used"
    with pytest.raises(InputError, match="text 2 has 40 tokens"):
        next(model.score(["春", "春" * 40]))
    with pytest.raises(ConfigError, match="samples = 0"):
        next(model.generate("春", samples=0))


def test_other_models_get_one_clear_sentence(tmp_path):
    with pytest.raises(InputError, match="is an encoder-decoder that translates zh-en, en-zh: use attendo translate"):
        load_language_model(save_random(tmp_path / "transformer"))
    folder = save_language_model(tmp_path / "translator", directions=[("zh", "en")])
    with pytest.raises(InputError, match="is a decoder-only model that translates zh-en: use attendo translate"):
        load_language_model(folder)


def test_training_with_an_empty_source_is_the_language_model(tmp_path):
    """Alone or several in a row, each text is what `language_model` reads: <s> and its pieces."""
    network = random_language_model(tmp_path / "model").engine.model
    first, second = torch.tensor([[1, 270, 271, 272]]), torch.tensor([[1, 273, 274]])
    nothing = first[:, :0]
    with torch.no_grad():
        alone = [network.language_model(tokens) for tokens in (first, second)]
        torch.testing.assert_close(network(nothing, first), alone[0])
        numbers = torch.tensor([[1, 1, 1, 1, 2, 2, 2]])
        packed = network(nothing, torch.cat((first, second), 1), segments=(numbers[:, :0], numbers))
    torch.testing.assert_close(packed, torch.cat(alone, 1))
