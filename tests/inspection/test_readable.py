"""Tokens as a person reads them."""

import pytest

from attendo.inspection.readable import Unit, pieces, token_labels, words
from attendo.text.train_tokenizer import TokenizerConfig, train_tokenizer
from tests.inspection.small_models import tokenizer
from tests.text.conftest import synthetic_texts


def labels(units):
    return [unit.piece_label for unit in units]


def test_bytes_become_characters_and_control_tokens_keep_their_names():
    ids = [tokenizer().tag("en"), *tokenizer().encode("爱饕餮。"), 3, 2]
    units = pieces(ids, tokenizer())
    assert labels(units) == [">>en<<", "爱", "饕", "餮", "。", "<unk>", "</s>"]
    assert [unit.count for unit in units] == [1, 1, 3, 3, 1, 1, 1]


@pytest.mark.parametrize("kind", ["bpe", "unigram", "wordpiece", "char"])
def test_every_token_is_in_one_unit_and_nothing_of_the_text_is_lost(kind):
    known = train_tokenizer(lambda: synthetic_texts(100), ["zh", "en"], TokenizerConfig(vocab_size=450, kind=kind))
    text = "In 2024, 老师  love 语言 and 🦊 naïveté!"
    ids = known.encode(text)
    for units in (pieces(ids, known), words(pieces(ids, known))):
        assert sum(unit.count for unit in units) == len(ids)
        if kind != "wordpiece":
            assert "".join(unit.text for unit in units) == text


def test_bytes_that_make_no_character_stay_alone():
    first = tokenizer().layout.first_byte
    broken = [first + byte for byte in b"\xe6\x88A\x91\xff\xe6\x88\x91"]
    assert labels(pieces(broken, tokenizer())) == ["<0xE6>", "<0x88>", "A", "<0x91>", "<0xFF>", "我"]
    assert token_labels([first + 0xE6, first + 0x88, first + 0x91, 2], tokenizer()) == {
        first + 0xE6: "<0xE6>", first + 0x88: "<0x88>", first + 0x91: "<0x91>", 2: "</s>",
    }  # fmt: skip


def test_pieces_of_a_word_and_digits_of_a_number_are_joined_and_chinese_is_not():
    cut = [" trans", "lat", "es", " ", "2", "4", "我们", "爱", ",", " ", " x", "한", "국", " "]
    end = Unit("</s>", 1, control=True)
    joined = words([*(Unit(text, 1) for text in cut), end])
    assert [unit.word_label for unit in joined] == ["translates", "24", "我们", "爱", ",", "x한국", "␣", "</s>"]
    assert [unit.count for unit in joined] == [3, 3, 1, 1, 1, 4, 1, 1]


def test_labels_are_one_short_line_without_control_codes():
    for text in ("a\nb\x1b[31m", "\u202eabc", "x" * 1000, "\x00", " \t ", "\u200d"):
        for label in (Unit(text, 1).piece_label, Unit(text, 1).word_label):
            assert label.isprintable()
            assert " " not in Unit(text, 1).piece_label
            assert 1 <= len(label) <= 24
