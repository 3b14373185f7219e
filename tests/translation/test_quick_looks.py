"""Quick looks that spare a plain sentence the rest: they must never change what is found, so the rest is asked, too."""

import gc
import re
from itertools import product
from unittest.mock import patch

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from attendo.documents.pipeline import collector_resting
from attendo.text import scripts, written_language
from attendo.text.verbatim import SIGN
from attendo.translation import checks
from attendo.translation.answer import Sentence
from attendo.translation.checks import TIMES_OF_A_WORD, TIMES_OF_CHARACTERS, TIMES_OF_TOKENS, repetitions
from attendo.translation.options import TranslationOptions
from tests.translation.fake_engine import FakeEngine, backwards, fake_translator, for_ever, same, write_fake_model

# Few letters, so that much comes again by chance; and loops, so that more does.
FEW = st.text("ab .", max_size=90)
LOOPS = st.builds(lambda before, unit, times, after: before + unit * times + after, FEW, FEW, st.integers(0, 13), FEW)


def has_loop(x, thresholds):
    """The definition, word for word: some unit comes so often in a row (all but the first round, moved by one)."""
    shortest = 1
    for longest, times in thresholds.steps:
        for period, start in product(range(shortest, longest + 1), range(len(x))):
            same = x[start : start + period * (times - 1)]
            if len(same) == period * (times - 1) and same == x[start + period : start + period * times]:
                return True
        shortest = longest + 1
    return False


@settings(max_examples=60, deadline=None)
@given(LOOPS)
@example("a" * 12)
@example("b" + "a" * 11)
@example("ab" * 8)
@example(" ab" * 8)
@example("x" * 5 + "abcdefghijklmnop" * 3)
def test_no_loop_is_overlooked(text):
    assert bool(repetitions(text, TIMES_OF_CHARACTERS)) == has_loop(text, TIMES_OF_CHARACTERS)
    assert checks.comes_again(text) or not has_loop(text, TIMES_OF_CHARACTERS)
    with patch.object(checks, "comes_again", lambda text: True):
        without_a_quick_look = checks.find_loop(text, "a b")
    assert checks.find_loop(text, "a b") == without_a_quick_look


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(0, 2), max_size=30), st.lists(st.integers(0, 9), max_size=9), st.integers(0, 9))
def test_no_loop_of_tokens_or_words_is_overlooked(before, unit, times):
    ids = before + unit * times
    for thresholds in (TIMES_OF_TOKENS, TIMES_OF_A_WORD, *checks.TWICE.values()):
        assert bool(repetitions(ids, thresholds)) == has_loop(ids, thresholds)


def test_loops_of_every_length_are_seen_wherever_they_begin():
    """Each of the smallest that count, in a text where nothing else comes again."""
    letters = "".join(map(chr, range(0x4E00, 0x4E00 + 200)))
    shortest = 1
    for longest, times in TIMES_OF_CHARACTERS.steps:
        for period, start in product(range(shortest, longest + 1), range(checks.STRETCH)):
            loop = (letters[100 : 100 + period] * times)[: period * times]
            assert checks.comes_again(letters[:start] + loop + letters[190:])
            assert checks.find_repetition(letters[:start] + loop) is not None
        shortest = longest + 1
    assert not checks.comes_again(letters)


@settings(max_examples=300, deadline=None)
@given(st.text("aB0.-(): @%/ 年", max_size=8))
def test_signs_are_found_as_they_are_listed(text):
    listed = r"[0-9@<>{%&_/\\#$`]|--|\(\)|\.[A-Za-z]|:[A-Fa-f]{2}:|[a-z][A-Z]"
    assert bool(SIGN.search(text)) == bool(re.search(listed, text))


@settings(max_examples=100, deadline=None)
@given(st.text("ab'-.1_ ", max_size=12))
def test_words_of_ascii_are_words(text):
    assert written_language.ASCII_WORD.findall(text) == written_language.WORD.findall(text)
    assert checks.ASCII_WORD.findall(text) == checks.WORD.findall(text)


SMALL = "the and der die und il la le et de que in so man es un una to l'homme größer"
WORDS = st.sets(st.sampled_from(re.findall(r"\S+", SMALL)))


@settings(max_examples=100, deadline=None)
@given(WORDS)
def test_languages_are_ranked_as_by_one_sort(words):
    languages = {word: written_language.languages_of_word(word) for word in words}
    spoken = {one: {word for word in words if one in languages[word]} for one in set().union(*languages.values())}
    weight = {one: sum(12 // len(languages[word]) for word in found) for one, found in spoken.items()}
    expected = ("en", "de")
    every = sorted(spoken, key=lambda one: (-len(spoken[one]), one not in expected, -weight[one], one))
    enough = [one for one in every if len(spoken[one]) >= written_language.FEWEST_HITS]
    assert list(written_language.ranked(spoken, expected)) == enough


TEXTS = [
    "我爱机器学习。", " 我爱机器学习。\r", "我爱机器学习。你好吗？", "", "   ", "...", "2024",
    "他昨天买了三本书 17 本。", "你好\ud800吗",
    "机器\t学习", "看 https://a.org/x！", "I love machine learning.", "Привет, мир, как дела", "\ufffd 你好",
]  # fmt: skip


@pytest.mark.parametrize("say", [same, backwards, for_ever, lambda ids: (), lambda ids: (*ids, 200)])
@pytest.mark.parametrize("options", [TranslationOptions(), TranslationOptions(n_best=3), TranslationOptions(keep=True)])
def test_a_plain_answer_is_put_together_as_any_other_is(tmp_path, say, options):
    translator = fake_translator(write_fake_model(tmp_path / "model"), FakeEngine(say))
    quick = translator.translate(TEXTS, "en", options=options)
    with patch.object(Sentence, "is_plain", False):
        thorough = translator.translate(TEXTS, "en", options=options)
    for one, other in zip(quick, thorough, strict=True):
        facts = [(answer.to_dict() | {"seconds": 0}, answer.sentences, answer.warnings) for answer in (one, other)]
        assert facts[0] == facts[1]
    assert any(sentence.is_plain for answer in quick for sentence in answer.sentences) == (
        say in (same, backwards) and options.search.n_best == 1
    )


def test_the_search_for_cycles_rests_and_goes_on():
    def fail():
        with collector_resting():
            assert not gc.isenabled()
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail()
    assert gc.isenabled()
    gc.disable()
    try:
        with collector_resting():
            pass
        assert not gc.isenabled()  # as the caller wants it
    finally:
        gc.enable()


@settings(max_examples=200, deadline=None)
@given(st.text("aßéªµ“–1 ʯͰαΩбא中ア한", max_size=9))
def test_letters_are_of_the_script_that_each_of_them_is_of(text):
    """Without the quick look there would be a count, letter by letter."""
    with patch.object(written_language, "FIRST_NOT_LATIN", "\0"), patch.object(scripts, "FIRST_HAN", "\0"):
        by_counting = written_language.script_of(text)
    assert written_language.script_of(text) == by_counting
