"""Learning a tokenizer from what is no ordinary text: within bounds, or an error in one sentence."""

import random
import time

import pytest
from typer.testing import CliRunner

from attendo.cli.tokenizer import app
from attendo.errors import ConfigError
from attendo.text.train_tokenizer import TokenizerConfig, train_tokenizer, without_rare

LANGUAGES = ("zh", "en")


def test_a_vocabulary_of_10_to_the_12(tmp_path):
    with pytest.raises(ConfigError, match="vocab_size = 1000000000000: expected at most 1,000,000"):
        train_tokenizer(lambda: ["a b c"], LANGUAGES, TokenizerConfig(10**12))
    (tmp_path / "text").write_text("a b c\n")
    command = ["train", str(tmp_path / "text"), "--languages", "zh,en", "--out", str(tmp_path / "out")]
    done = CliRunner().invoke(app, [*command, "--vocab-size", str(10**12)])
    assert isinstance(done.exception, ConfigError)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kind", ["bpe", "unigram", "wordpiece", "char", "word"])
@pytest.mark.parametrize("text", ["a", "ab", "我"], ids=["a", "ab", "han"])
def test_one_line_that_is_one_word(kind, text):
    """The trainers take time by the square of a word's length: 200,000 letters took minutes."""
    if kind == "word" and text == "我":
        pytest.importorskip("jieba")
    started = time.process_time()
    line = text * (200_000 // len(text))
    tokenizer = train_tokenizer(lambda: [line], LANGUAGES, TokenizerConfig(1000, kind))
    assert time.process_time() - started < 10
    assert tokenizer.vocab_size <= 1000


def test_random_letters_in_one_word():
    line = "".join(random.Random(1).choices("abcdefghij", k=100_000))
    started = time.process_time()
    tokenizer = train_tokenizer(lambda: [line], LANGUAGES, TokenizerConfig(1000))
    assert time.process_time() - started < 5
    assert tokenizer.decode(tokenizer.encode(line)) == line


def test_one_long_line_is_given_to_the_library_in_parts():
    line = "the quick brown fox " * 100_000
    given = list(without_rare([line], list("abcdefghijklmnopqrstuvwxyz ")))
    assert max(map(len, given)) < 10_000
    assert "\n".join(given) == "the\n quick\n brown\n fox\n " * 100_000


def test_ordinary_text_is_cut_as_before():
    words = "x" * 200 + " and " + "y" * 201
    assert list(without_rare([words], list("xyand "))) == ["x" * 200 + "\n and\n " + "y" * 199 + "\nyy"]
