"""Validation asks a model what `translate` would ask it, and never more than it has positions for."""

import pytest
import torch

import attendo
from attendo.data.corpus import Pair
from attendo.model.build import build_model
from attendo.model.config import DecoderOnlyConfig, TransformerConfig
from attendo.model_folder.bundle import model_folder, read_bundle
from attendo.model_folder.weights import load_model
from attendo.runs.validation import Question, translate_questions
from attendo.text.train_tokenizer import TokenizerConfig, train_tokenizer

SIZES = {"d_model": 16, "d_ff": 32, "num_heads": 2, "positions": "learned", "max_length": 300}


def questions(texts, language):
    return [Question(Pair(line, text, ""), language) for line, text in enumerate(texts, start=1)]


@pytest.mark.parametrize(
    ("kind", "layers"),
    [(DecoderOnlyConfig, {"num_layers": 1}), (TransformerConfig, {"encoder_layers": 1, "decoder_layers": 1})],
)
@pytest.mark.parametrize("length", [1, 40, 74, 80, 146])
def test_a_source_of_any_length_leaves_room_for_an_answer(kind, layers, length):
    """An untrained model rarely ends by itself; (300 - 3) / 2 letters are the most that a recipe lets through."""
    tokenizer = train_tokenizer(lambda: iter(["abc"]), ["abc", "cba"], TokenizerConfig(300, "char"))
    torch.manual_seed(1)
    model = build_model(kind(vocab_size=tokenizer.vocab_size, **SIZES, **layers)).eval()
    assert len(translate_questions(model, tokenizer, questions(["a" * length, "ab", "c" * 40], "cba"))) == 3


def test_the_answers_are_those_of_translate():
    texts = ["我爱机器学习。", "Guten Morgen!", "今天天气很好，我们去公园吧。"]
    bundle = read_bundle(model_folder(None))
    found = translate_questions(load_model(bundle).eval(), bundle.tokenizer(), questions(texts, "en"))
    greedy = attendo.TranslationOptions(beam=1, wider_retry=False)
    answers = attendo.load(engine="torch", device="cpu").translate(texts, to="en", options=greedy)
    assert found == [answer.text for answer in answers]
