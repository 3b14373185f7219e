"""Which source words a word was made from: spans of the user's own texts, whatever was done to them on the way."""

import re
from dataclasses import dataclass, replace

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import attendo
from attendo.decoding.hypothesis import Hypothesis
from attendo.special_tokens import SPECIAL
from attendo.text.normalize import one_line
from attendo.translation.alignment import align
from attendo.translation.answer import AlignedWord, Sentence
from attendo.translation.options import TranslationOptions
from attendo.translation.retries import MOST_STAND_INS
from tests.translation.fake_engine import FakeEngine, fake_translator, write_fake_model

ASKED = TranslationOptions(alignment=True)
PARTS = [
    "我爱机器学习", "书", "2026年", "。", "！", "，", "machine learning", "It's fun", "12,5", "e\u0301te\u0301", "Café",
    "\u00a0", "  ", " ", "\n", "\t", "{name}", "<b>", "</b>", "%s", "https://example.org/a?b=1", "😀", "𠮷", "...", "?",
    "‘", "\u200b", "ß", "後來", "-", "\x00",
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PARTS), max_size=12).map("".join) | st.text(
    st.characters(exclude_categories=["Cs"]), max_size=30
)


@dataclass
class Mirror(FakeEngine):
    """Says the source, and looked at what it says: so a word comes from itself."""

    last: float = 0.9  # the weight; the rest is spread over all

    def search(self, requests, options, *, attention=False):
        found = super().search(requests, options)
        if not attention:
            return found
        return [
            [replace(one, attention=self.rows(request, one)) for one in hypotheses]
            for request, hypotheses in zip(requests, found, strict=True)
        ]

    def rows(self, request, hypothesis):
        width = len(request.ids)
        rest = (1 - self.last) / width
        return [
            [rest + self.last * (column == min(step + 1, width - 1)) for column in range(width)]
            for step in range(len(hypothesis.ids))
        ]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_fake_model(tmp_path_factory.mktemp("fake") / "model")


@pytest.fixture(scope="module")
def mirror(folder):
    return fake_translator(folder, Mirror())


@pytest.fixture(scope="module")
def knowing(folder):
    """Of a model that knows stand-ins."""
    plain = fake_translator(folder, Mirror())
    return replace(plain, bundle=replace(plain.bundle, stand_ins=True))


@pytest.fixture(scope="module")
def real():
    return attendo.load(engine="ct2", threads=1)


def check(text, answer):
    """What holds of every alignment."""
    assert answer.alignment is not None
    end = 0
    for word in answer.alignment:
        assert end <= word.start < word.end <= len(answer.text)
        assert answer.text[word.start : word.end].strip()
        end = word.end
        weights = [weight for _, _, weight in word.sources]
        assert weights == sorted(weights, reverse=True)
        assert all(0 < weight <= 1 + 1e-9 for weight in weights)
        assert sum(weights) <= 1 + 1e-6
        assert len({span[:2] for span in word.sources}) == len(word.sources)
        assert all(0 <= start < stop <= len(text) for start, stop, _ in word.sources)
    for sentence in answer.sentences:
        for word in sentence.alignment or ():
            assert 0 <= word.start < word.end <= len(sentence.text)
            assert all(0 <= start < stop <= len(sentence.source) for start, stop, _ in word.sources)


def links(text, answer):
    return [
        (answer.text[word.start : word.end], [text[start:end] for start, end, _ in word.sources])
        for word in answer.alignment
    ]


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TEXTS)
@example("  书 {name}\n\n<b>书</b>。书！  ")
def test_any_text_by_a_model_that_says_it_again(mirror, text):
    answer = mirror.translate(text, to="en", from_="zh", options=ASKED)
    check(text, answer)
    assert answer.text == mirror.translate(text, to="en", from_="zh").text


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TEXTS)
def test_any_text_with_stand_ins(knowing, text):
    answer = knowing.translate(text, to="en", from_="zh", options=ASKED)
    check(text, answer)
    for (start, end, sources), word in zip(answer.alignment, links(text, answer), strict=True):
        if word[0] in ("{name}", "%s") and "copied" not in [one.attempt for one in answer.sentences]:
            assert word[1] == [word[0]], (start, end, sources)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.sampled_from(["我", "爱", "machine", "learning", "12", "书", "。", "It's"]), min_size=1, max_size=8))
def test_a_word_comes_from_itself(mirror, parts):
    text = " ".join(parts)
    answer = mirror.translate(text, to="en", from_="zh", options=ASKED)
    if not any(sentence.hypothesis for sentence in answer.sentences):
        return
    for word, sources in links(text, answer):
        assert sources[:1] == [word]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("  书\u00a0 很  好。 ", ["书", "很", "好", "。"]),
        ("e\u0301te\u0301 und Cafe\u0301", ["e\u0301te\u0301", "und", "Cafe\u0301"]),
        ("书\x01很\x07好", ["书", "很", "好"]),
        ("书。\n\n好！ 书？", ["书", "。", "好", "！", "书", "？"]),
    ],
)
def test_spans_are_of_the_text_as_it_came(mirror, text, shown):
    answer = mirror.translate(text, to="en", from_="zh", options=ASKED)
    check(text, answer)
    assert [sources for _, sources in links(text, answer)] == [[one] for one in shown]


def test_placeholders_align_with_themselves(knowing):
    text = "书 {name} 好 <b>书</b>，{0}！"
    answer = knowing.translate(text, to="en", from_="zh", options=ASKED)
    found = dict(links(text, answer))
    for one in ("{name}", "<b>", "</b>", "{0}"):
        assert found[one] == [one]
    spans = {answer.text[word.start : word.end]: word.sources for word in answer.alignment}
    assert spans["{name}"] == ((2, 8, 1.0),)


def test_terms_of_a_glossary_align_with_their_source(mirror):
    options = TranslationOptions(alignment=True, glossary={"机器学习": "machine learning (ML)"})
    answer = mirror.translate("我 爱 机器学习 。", to="en", from_="zh", options=options)
    assert ("machine learning (ML)", ["机器学习"]) in links("我 爱 机器学习 。", answer)


def test_pieces_keep_their_own_alignment(knowing):
    """More stand-ins than a model keeps apart: the sentence is put together from pieces."""
    text = "".join(f"书{{{n}}} 好，" for n in range(MOST_STAND_INS + 1)) + "我爱机器学习。"
    answer = knowing.translate(text, to="en", from_="zh", options=ASKED)
    assert answer.sentences[0].attempt == "pieces"
    check(text, answer)
    found = [(text[word.sources[0][0] : word.sources[0][1]], word) for word in answer.alignment if word.sources]
    for source, word in found:
        assert source == answer.text[word.start : word.end]
    assert {source for source, _ in found} >= {"书", "好", "{0}", f"{{{MOST_STAND_INS}}}"}
    starts = [word.sources[0][0] for source, word in found if source == "书"]
    assert starts == [match.start() for match in re.finditer("书", text)]


def test_the_script_of_the_reader(mirror):
    """The model says simplified Chinese, and the spans are of what the reader gets."""
    pytest.importorskip("opencc")
    text = "书 很 好"
    answer = mirror.translate(text, to="zh-TW", from_="en", options=ASKED)
    assert answer.text == "書 很 好"
    assert links(text, answer) == [("書", ["书"]), ("很", ["很"]), ("好", ["好"])]


def test_default_options_ask_for_nothing(folder):
    class Strict(FakeEngine):
        def search(self, requests, options):  # as an engine that knows no attention
            return super().search(requests, options)

    answer = fake_translator(folder, Strict()).translate("书很好。", to="en")
    assert answer.alignment is None
    assert answer.sentences[0].alignment is None
    assert "alignment" not in answer.to_dict()


def test_an_engine_that_has_none(folder):
    answer = fake_translator(folder, FakeEngine()).translate("书很好。", to="en", options=ASKED)
    assert answer.alignment is None
    assert answer.text == "书很好。"


def test_what_is_not_translated_has_none(mirror):
    assert mirror.translate("... 🙂\n", to="en", from_="zh", options=ASKED).alignment == ()
    answer = mirror.translate("...\n书。", to="en", from_="zh", options=ASKED)
    assert [one.alignment is None for one in answer.sentences] == [True, False]


def test_nothing_on_words_is_no_source(mirror):
    """All on </s>: the word comes from none."""
    tokenizer = mirror.tokenizer
    request = mirror.preparer.request("书", mirror.preparer.languages("书", "en", "zh"))[0]
    ids = (*tokenizer.encode("书"), SPECIAL.eos)
    rows = [[0.0] * (len(request.ids) - 1) + [1.0] for _ in ids]
    sentence = Sentence("书", ("书",), (Hypothesis(ids, 0.0, 0.0, (), rows),), request=request)
    assert align(sentence, "en", tokenizer) == (AlignedWord(0, 1, ()),)


# --- the default model

# For each word the source that a reader of both languages would name, where there is one.
BY_HAND = [
    ("我爱机器学习", "en", {"love": "爱", "machine": "机器", "learning": "学习"}),
    ("他昨天买了三本书。", "en", {"He": "他", "bought": "买", "yesterday": "昨天"}),
    ("请把窗户关上。", "en", {"window": "窗户", "close": "关"}),
    ("这家餐馆很贵。", "en", {"restaurant": "餐馆", "expensive": "贵"}),
    ("医生在医院工作。", "en", {"doctor": "医生", "hospital": "医院"}),
    ("The cat sleeps under the sofa.", "zh", {"猫": "cat", "沙发": "sofa"}),
    ("She drinks coffee every morning.", "zh", {"咖啡": "coffee", "她": "She"}),
    ("We need a bigger room.", "zh", {"房间": "room"}),
    ("My brother works in Berlin.", "zh", {"哥": "brother", "柏": "Berlin", "工作": "works"}),
    ("The train is faster than the car.", "zh", {"火车": "train", "火": "train", "汽车": "car", "快": "faster"}),
    ("Der Hund schläft unter dem Tisch.", "en", {"dog": "Hund", "table": "Tisch", "under": "unter"}),
    ("Wir haben gestern zwei Bücher gekauft.", "en", {"We": "Wir", "bought": "gekauft", "two": "zwei"}),
    ("Die Lampe blinkt, wenn der Speicher voll ist.", "en", {"full": "voll"}),
    ("Er wurde von seinem Lehrer gelobt.", "en", {"teacher": "Lehrer", "praised": "gelobt", "his": "seinem"}),
    ("Das Brot ist frischer als gestern.", "en", {"bread": "Brot", "yesterday": "gestern"}),
    ("I forgot my keys in the office.", "de", {"vergessen": "forgot", "Büro": "office", "Schlüssel": "keys"}),
    ("The children are playing in the garden.", "de", {"Kinder": "children", "Garten": "garden"}),
    ("Press the red button.", "de", {"roten": "red", "Knopf": "button"}),
    ("The window is open.", "de", {"Fenster": "window", "offen": "open"}),
    ("He reads the newspaper every day.", "de", {"Zeitung": "newspaper", "liest": "reads", "Tag": "day"}),
]


@pytest.mark.parametrize(("text", "to", "expected"), BY_HAND)
def test_sentences_checked_by_hand(real, text, to, expected):
    answer = real.translate(text, to=to, options=ASKED)
    check(text, answer)
    said = dict(reversed(links(text, answer)))  # of a word that is said twice, the first
    there = {word: source for word, source in expected.items() if word in said}
    assert there, answer.text
    for word, source in there.items():
        assert source in said[word][0] or said[word][0] in source, (answer.text, word, said[word])


def test_batching_does_not_matter(real):
    texts = [text for text, to, _ in BY_HAND if to == "en"]
    together = real.translate(texts, to="en", options=ASKED)
    for text, one in zip(texts, together, strict=True):
        alone = real.translate(text, to="en", options=ASKED)
        assert one.text == alone.text
        assert links(text, one) == links(text, alone)
        for ours, theirs in zip(one.alignment, alone.alignment, strict=True):
            assert [weight for *_, weight in ours.sources] == pytest.approx([x for *_, x in theirs.sources], abs=0.02)


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(TEXTS)
def test_any_text_by_the_default_model(real, text):
    answer = real.translate(text, to="de", from_="en", options=ASKED)
    check(text, answer)


# --- how sure it is of each word


@pytest.mark.parametrize("engine", ["ct2", "torch"])
def test_words_and_their_log_probabilities(engine):
    translator = attendo.load(engine=engine, device="cpu", threads=1)
    texts = ["我爱机器学习。你好，{name}！", "请看 https://example.org/a。", "...", "他昨天买了书。"]
    answers = translator.translate(texts, to="en")
    found = translator.word_log_probs(answers)
    assert found[2] == ()
    for answer, words in zip(answers, found, strict=True):
        spans = [(word.start, word.end) for word in words]
        assert spans == sorted(spans)
        assert all(word.log_prob <= 0 for word in words)
        # All but </s> of each sentence, so a little less unlikely than the whole; but by the full vocabulary, in which
        # what a shortlist leaves out has its share: a few hundredths of each token, as labels were smoothed by 0.1.
        said = [one.hypothesis for one in answer.sentences if one.hypothesis]
        least = sum(one.log_prob - 0.1 * len(one.ids) for one in said)
        assert least <= sum(word.log_prob for word in words) <= 0
    shown = [answers[0].text[start:end] for start, end, _ in found[0]]
    assert {"machine", "learning", "{name}"} <= set(shown)
    assert one_line(answers[0].text).replace(" ", "") == "".join(shown)


def test_a_word_has_all_its_tokens(mirror):
    """By an engine that gives each token -0.5."""
    (words,) = mirror.word_log_probs([mirror.translate("learning 书", to="en", from_="zh")])
    assert [word.log_prob for word in words] == [
        -0.5 * len(mirror.tokenizer.encode("learning")),
        -0.5 * len(mirror.tokenizer.encode(" 书")),
    ]


def test_only_translations_have_words(mirror):
    with pytest.raises(attendo.UsageError, match="Translation"):
        mirror.word_log_probs(["text"])
