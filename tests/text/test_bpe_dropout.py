"""BPE-dropout: with rate 0 the library's own answer, else seeded, lossless, and really dropping."""

import pytest

from attendo.errors import ConfigError
from attendo.text.bpe_dropout import BpeDropout
from tests.text.conftest import synthetic_texts
from tests.text.test_tokenizer import NASTY


def test_without_dropping_it_is_the_library(tokenizers):
    """An independent witness for both: two implementations of the merges agree."""
    bpe = tokenizers["bpe"]
    ours = BpeDropout(bpe, 0.0)
    for text in [*synthetic_texts(50, seed=9), *NASTY]:
        assert ours.encode(text, 1, 1, 1) == bpe.encode(text)


def test_the_draw_is_a_function_of_seed_epoch_and_sentence(tokenizers):
    dropout = BpeDropout(tokenizers["bpe"], 0.3)
    text = "In 1999, the teacher translate languages, attention and music."
    first = dropout.encode(text, 1, 2, 3)
    assert first == dropout.encode(text, 1, 2, 3) == BpeDropout(tokenizers["bpe"], 0.3).encode(text, 1, 2, 3)
    others = [dropout.encode(text, *key) for key in ((2, 2, 3), (1, 3, 3), (1, 2, 4))]
    assert all(other != first for other in others)
    assert all(tokenizers["bpe"].decode(ids) == text for ids in [first, *others])


def test_more_dropping_means_more_pieces(tokenizers):
    texts = list(synthetic_texts(100, seed=4))
    counts = [
        sum(len(BpeDropout(tokenizers["bpe"], rate).encode(text, 1, 1, n)) for n, text in enumerate(texts))
        for rate in (0.0, 0.1, 0.5, 0.99)
    ]
    assert counts == sorted(counts)
    assert counts[1] > 1.02 * counts[0]
    characters = sum(len(text) for text in texts)
    assert counts[3] > 0.9 * characters


def test_wrong_settings_are_one_sentence(tokenizers):
    with pytest.raises(ConfigError, match="needs a tokenizer of kind bpe, this one is char"):
        BpeDropout(tokenizers["char"], 0.1)
    with pytest.raises(ConfigError, match=r"\[0, 1\)"):
        BpeDropout(tokenizers["bpe"], 1.0)
