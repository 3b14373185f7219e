"""M15, X5-X7: any text comes back unchanged after NFC, and no text gives a control id."""

import os
import random
import unicodedata
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attendo.data.lines import read_lines
from attendo.errors import ConfigError, InputError
from attendo.text.normalize import normalize
from attendo.text.subword_models import KINDS
from attendo.text.tokenizer import Tokenizer, pretokenize
from attendo.text.train_tokenizer import TokenizerConfig, train_tokenizer
from tests.reference.growth import exponent
from tests.text.conftest import synthetic_texts

LOSSLESS = ["bpe", "unigram", "char"]
FIRST_TEXT_ID = 6  # pad, <s>, </s>, <unk>, >>zh<<, >>en<<

NASTY = [
    "",
    " ",
    "   ",
    "\t",
    " leading",
    "trailing ",
    "a  b   c",
    "tab\tand\u00a0nbsp\u3000ideographic",
    "▁metaspace ▁▁ ▁x",
    "😀👩‍👩‍👧‍👦🇩🇪👍🏽",
    "𠮷𠀀 rare Han 㐀",
    "é e\u0301 ﬁ ① ½ Ａ １ ，。！？",
    "مرحبا שלום mixed RTL",
    "ไทย हिन्दी தமிழ்",
    "\u200b\u200d\u2060\ufeff",
    "<s></s><pad><unk>>>en<<>>zh<<",
    "<0x0A><0xE4>",
    "##ing 0#ing #0",
    "a\u2028b\u0085c\x0bd\x0ce\x1c",
    "\x00\x01\x1f\x7f\x80",
    "e" + "\u0301" * 300,
    "Zürich naïve Ελλάδα Москва 日本語カタカナ 한국어",
    "don't 3.14 1,000,000 2026-11-15",
    "\U0010ffff\ufffe\ufdd0",
]


def random_strings_of_every_block(number=500, seed=7):
    """Code points spread over all planes, surrogates left out, in short strings."""
    draw = random.Random(seed)
    indices = [code for code in range(0, 0x110000, 0x40) if not 0xD800 <= code < 0xE000]
    for n in range(number):
        start = indices[n * len(indices) // number]
        codes = [min(0x10FFFF, start + draw.randrange(0x40)) for _ in range(draw.randrange(1, 20))]
        yield "".join(chr(code) if not 0xD800 <= code < 0xE000 else " " for code in codes)


def comes_back(tokenizer, text):
    return tokenizer.decode(tokenizer.encode(text)) == unicodedata.normalize("NFC", text)


@pytest.mark.parametrize("kind", LOSSLESS)
def test_nasty_strings_and_all_unicode_blocks_come_back(tokenizers, kind, evidence):
    texts = [*NASTY, *random_strings_of_every_block()]
    failures = [text for text in texts if not comes_back(tokenizers[kind], text)]
    assert failures == []
    evidence("X7", f"strings of all Unicode blocks that come back, kind {kind}", f"{len(texts)} of {len(texts)}")


@pytest.mark.parametrize("kind", LOSSLESS)
@given(text=st.text())
@settings(max_examples=300)
def test_any_string_comes_back(tokenizers, kind, text):
    assert comes_back(tokenizers[kind], text)


def test_composed_and_decomposed_are_the_same(tokenizers, evidence):
    texts = ["Ünïcödé çà et là, Ångström, 각", *random_strings_of_every_block()]
    different = [
        text
        for text in texts
        if tokenizers["bpe"].encode(unicodedata.normalize("NFC", text))
        != tokenizers["bpe"].encode(unicodedata.normalize("NFD", text))
    ]
    assert different == []
    evidence("X7", "strings whose NFC and NFD forms differ in ids", f"0 of {len(texts)}")
    assert tokenizers["bpe"].decode(tokenizers["bpe"].encode("１，Ａ①")) == "１，Ａ①", "NFKC would have changed these"


def test_half_a_surrogate_pair_is_replaced(tokenizers):
    assert normalize("a\ud800b") == "a\ufffdb"
    assert tokenizers["bpe"].decode(tokenizers["bpe"].encode("a\udfffb")) == "a\ufffdb"


look_alikes = st.sampled_from(
    [
        "<s>",
        "</s>",
        "<pad>",
        "<unk>",
        ">>en<<",
        ">>zh<<",
        "<0x0A>",
        "<0xFF>",
        "▁",
        "0#",
        "##",
        "\u200d",
        " ",
        "s",
        "<",
        ">",
        "en",
        "我",
    ]
)


@pytest.mark.parametrize("kind", KINDS)
@given(parts=st.lists(look_alikes, max_size=12))
@settings(max_examples=400, deadline=None)
def test_no_control_id_comes_from_text(tokenizers, kind, parts):
    """What is found is made small; the next test asks the same of many more.

    <unk> is not a control of the model but the answer of kinds that have unknowns."""
    tokenizer, lossless = tokenizers[kind], kind not in ("wordpiece", "word")
    ids = tokenizer.encode("".join(parts))
    assert all(number >= FIRST_TEXT_ID or (number == 3 and not lossless) for number in ids)
    if lossless:
        assert tokenizer.decode(ids) == "".join(parts)


@pytest.mark.parametrize("kind", KINDS)
def test_ten_thousand_look_alikes_drawn_by_chance(tokenizers, kind, evidence):
    """The same question put to 10,000 longer strings, counted for the record."""
    draw = random.Random(11)
    parts = [
        "<s>", "</s>", "<pad>", "<unk>", ">>en<<", ">>zh<<", "<0x0A>", "<0xFF>", "▁", "0#", "##", "\u200d", " ", "s",
    ]  # fmt: skip
    texts = ["".join(draw.choices(parts, k=draw.randrange(1, 15))) for _ in range(10_000)]
    tokenizer = tokenizers[kind]
    control = sum(number < FIRST_TEXT_ID and number != 3 for ids in tokenizer.encode_all(texts) for number in ids)
    assert control == 0
    evidence("X6", f"control ids from 10,000 strings of look-alikes, kind {kind}", control)


@pytest.mark.parametrize("kind", KINDS)
def test_the_layout_of_the_ids(tokenizers, kind):
    tokenizer = tokenizers[kind]
    assert [tokenizer.tag("zh"), tokenizer.tag("en")] == [4, 5]
    assert tokenizer.names(range(7)) == ["<pad>", "<s>", "</s>", "<unk>", ">>zh<<", ">>en<<", "<0x00>"]
    assert tokenizer.names([6 + 255, 6 + 256]) == ["<0xFF>", tokenizer.subwords.pieces[0]]
    assert tokenizer.vocab_size == 6 + 256 + len(tokenizer.subwords.pieces) <= 600
    assert tokenizer.decode([0, 1, 2, 4, 5]) == ""
    with pytest.raises(InputError, match="does not know the language 'fr': it knows zh, en"):
        tokenizer.tag("fr")
    for wrong in (999999, -1):
        with pytest.raises(InputError, match=f"token id {wrong} is outside the vocabulary"):
            tokenizer.decode([wrong])
        with pytest.raises(InputError, match=f"token id {wrong} is outside the vocabulary"):
            tokenizer.names([wrong])


def test_what_a_model_reads_is_tag_pieces_and_end(tokenizers):
    tokenizer = tokenizers["bpe"]
    assert tokenizer.source_ids("我爱你", "en") == (5, *tokenizer.encode("我爱你"), 2)
    with pytest.raises(InputError, match="does not know the language 'xx'"):
        tokenizer.source_ids("a", "xx")


@pytest.mark.parametrize("kind", ["wordpiece", "word"])
def test_the_kinds_with_unknowns_keep_what_they_know(tokenizers, kind):
    tokenizer = tokenizers[kind]
    known = "In 1999, the teacher love books."
    assert tokenizer.decode(tokenizer.encode(known)) == known
    chinese = "老师学习语言，2001年。"
    assert tokenizer.decode(tokenizer.encode(chinese)) == chinese
    ids = tokenizer.encode("xylophone 😀")
    assert 3 in ids
    assert "\ufffd" in tokenizer.decode(ids)


def test_pieces_respect_borders(tokenizers):
    """Digits alone; no piece of two scripts, or of letters and punctuation."""
    for kind in ("bpe", "unigram"):
        for piece in tokenizers[kind].subwords.pieces:
            assert len(pretokenize(piece)) == 1, piece
    ids = tokenizers["bpe"].encode("2026年")
    assert len(ids) == 5
    assert pretokenize("我爱AI，see 2 of 3") == ["我爱", "AI", "，", "see", " ", "2", " of", " ", "3"]


def test_frequent_words_become_one_piece(tokenizers):
    assert len(tokenizers["bpe"].encode(" translate")) == 1
    assert len(tokenizers["bpe"].encode("注意力")) == 1


@pytest.mark.parametrize("kind", KINDS)
def test_a_saved_tokenizer_is_the_same(tokenizers, kind, tmp_path):
    tokenizers[kind].save(tmp_path / "tokenizer.json")
    loaded = Tokenizer.load(tmp_path / "tokenizer.json")
    assert [path.name for path in tmp_path.iterdir()] == ["tokenizer.json"]
    assert (loaded.subwords, loaded.languages) == (tokenizers[kind].subwords, ("zh", "en"))
    texts = [*synthetic_texts(20, seed=5), *NASTY]
    assert loaded.encode_all(texts) == tokenizers[kind].encode_all(texts) == [loaded.encode(text) for text in texts]


def test_a_word_without_end_makes_no_file_that_cannot_be_read(tmp_path):
    long = "".join(chr(0x0E01 + n % 40) for n in range(240))
    tokenizer = train_tokenizer(lambda: [long] * 50, ["th"], TokenizerConfig(vocab_size=900, kind="wordpiece"))
    tokenizer.save(tmp_path / "t.json")
    assert Tokenizer.load(tmp_path / "t.json").subwords == tokenizer.subwords


def test_training_is_deterministic():
    config = TokenizerConfig(vocab_size=500)
    first, again = (train_tokenizer(synthetic_texts, ["zh", "en"], config).subwords for _ in range(2))
    assert first == again


def test_nothing_to_learn_from_is_one_sentence():
    with pytest.raises(ConfigError, match="expected at least 263"):
        train_tokenizer(synthetic_texts, ["zh", "en"], TokenizerConfig(vocab_size=100))
    with pytest.raises(ConfigError, match="some text"):
        train_tokenizer(list, ["zh", "en"], TokenizerConfig(vocab_size=1000))


@pytest.mark.parametrize("unit", ["a", "ha ", "😀", "学", "e\u0301", " ", "1", "<s>"])
def test_time_grows_with_length_and_no_faster(tokenizers, unit, evidence):
    """X5: from 50,000 to 200,000 characters."""
    grows = exponent(tokenizers["bpe"].encode, unit, 50_000 // len(unit))
    assert grows < 1.5
    evidence("X5", f"growth exponent of time, {unit!r} repeated to 200,000 characters", f"{grows:.2f}")


@pytest.mark.skipif("ATTENDO_DATA" not in os.environ, reason="needs corpora: set ATTENDO_DATA")
@pytest.mark.parametrize(
    "name", ["zh-en/tatoeba.train.tsv.xz", "de-en/europarl20k.train.tsv.xz", "zh-en/d2l.train.tsv.xz"]
)
def test_every_line_of_a_corpus_comes_back(tokenizers, name, evidence):
    lines = list(read_lines(Path(os.environ["ATTENDO_DATA"]) / name, pytest.fail))
    encoded = tokenizers["bpe"].encode_all(lines)
    assert len(lines) > 1000
    assert [tokenizers["bpe"].decode(ids) for ids in encoded] == [unicodedata.normalize("NFC", line) for line in lines]
    evidence("X7", f"lines of {name} that come back", f"{len(lines):,} of {len(lines):,}")
