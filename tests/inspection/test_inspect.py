"""`inspect` shows the translation that `translate` gives, found in the same way."""

import pytest
import torch

import attendo
from attendo.decoding.length import longest_output
from attendo.decoding.options import SearchOptions
from attendo.errors import InputError
from attendo.inspection.inspect import LONGEST_TARGET, inspect, inspect_text
from attendo.model.build import build_model
from attendo.model.config import TransformerConfig
from attendo.text.train_tokenizer import TokenizerConfig, train_tokenizer
from attendo.translation.options import TranslationOptions
from tests.inspection.small_models import DIRECTIONS, save
from tests.text.conftest import synthetic_texts

SENTENCES = [
    ("zh", "en", "我爱机器学习"),
    ("zh", "en", "你能告诉我最近的地铁站在哪里吗？"),
    ("zh", "en", "我們昨天在圖書館裡見過面。"),  # traditional
    ("zh", "en", "  　我\u200b爱　机器   学习\n"),  # edges, and what cannot be seen
    ("en", "zh", "She wrote a letter to her old teacher."),
    ("en", "zh-TW", "Our train leaves tomorrow at eight."),  # the model writes simplified characters
    ("en", "zh", "I  have\u00a0 not seen\x07 my brother for two years."),
    ("de", "en", "Gestern haben wir bis Mitternacht getanzt."),
    ("de", "en", "\ufeffWie viel kostet eine Fahrkarte nach Berlin?"),
    ("en", "de", "This book is more expensive than that one."),
]


@pytest.fixture(scope="module")
def translator():
    return attendo.load(engine="torch", device="cpu")


@pytest.mark.parametrize(("source", "target", "text"), SENTENCES)
def test_the_translation_is_that_of_translate(source, target, text, translator):
    expected = translator.translate(text, to=target, from_=source, options=TranslationOptions(wider_retry=False))
    found = inspect(text, to=target, from_=source)
    (sentence,) = expected.sentences
    assert found.translation == sentence.text
    assert found.best.ids == sentence.hypothesis.ids
    assert found.best.score == pytest.approx(sentence.hypothesis.score, abs=1e-4)
    assert (found.source_language, found.target_language) == (source, target[:2])
    assert found.steps[-1].finished[0] == found.best
    assert set(expected.remarks) <= set(found.remarks)


def test_several_sentences_are_read_as_one_text():
    found = inspect("Good morning!  How are you?", to="de")
    assert found.text == "Good morning! How are you?"
    assert any("shown as one text" in remark for remark in found.remarks)
    assert len(found.maps) == 3


@pytest.mark.parametrize("text", ["2.13", "http://example.org/x", "!?"])
def test_what_translate_leaves_as_it_is_can_be_looked_into(text):
    assert inspect(text, to="en", from_="de").text == text


def test_without_a_folder_nothing_is_written_and_with_one_a_page_is(tmp_path):
    model = save("transformer", tmp_path / "model")
    assert inspect("爱书", to="en", model=model).files == ()
    found = inspect("爱书", to="en", model=str(model), out=tmp_path / "look", beam=1)
    assert found.files[0] == tmp_path / "look" / "index.html"
    assert sorted(found.files) == sorted((tmp_path / "look").iterdir())
    with pytest.raises(InputError, match="there is no text"):
        inspect(" \n", to="en", model=model)


@pytest.mark.parametrize("characters", [20, 300])
def test_the_longest_answer_of_characters_is_that_of_translate(characters):
    """A model that never ends: it is cut where `translate` would cut it, or where maps become too large."""
    tokenizer = train_tokenizer(lambda: synthetic_texts(100), ["zh", "en"], TokenizerConfig(420, "char"))
    sizes = {"d_model": 8, "d_ff": 8, "num_heads": 1, "encoder_layers": 1, "decoder_layers": 1}
    torch.manual_seed(1)
    model = build_model(TransformerConfig(vocab_size=tokenizer.vocab_size, **sizes)).eval()
    model.output.bias = torch.nn.Parameter(torch.zeros(tokenizer.vocab_size).index_fill(0, torch.tensor([2]), -99.0))
    found = inspect_text(model, tokenizer, "爱" * characters, DIRECTIONS, options=SearchOptions(beam_size=1))
    assert len(found.source) == characters + 2
    assert len(found.best.ids) == min(longest_output(characters + 2, "char"), LONGEST_TARGET)
    assert found.remarks[-1] == f"the translation was cut at {len(found.best.ids)} tokens, its maximum length"
