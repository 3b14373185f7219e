"""The default model puts tags where they belong; its sentences are easy ones."""

import pytest

import attendo
from attendo.translation.markup.rules import MarkupRules
from attendo.translation.markup.translate import translate_markup


@pytest.fixture(scope="module")
def translator():
    return attendo.load(threads=1)


def test_tags_by_alignment(translator):
    texts = ["<p>我住在<b>北京</b>。</p>", "<p>I have <i>forgotten</i> my <b>password</b>.</p>", "<p>OK</p>"]
    answers = translate_markup(translator, texts[:1], to="en") + translate_markup(translator, texts[1:], to="de")
    assert [answer.text for answer in answers[:2]] == [
        "<p>I live in <b>Beijing</b>.</p>",
        "<p>Ich habe mein <b>Passwort</b> <i>vergessen</i>.</p>",
    ]
    assert all(answer.unplaced == () for answer in answers)
    assert [answer.source_language for answer in answers[:2]] == ["zh", "en"]


def test_placeholders_as_weblate_sends_them(translator):
    [answer] = translate_markup(
        translator,
        ['Hello <x id="3"></x>, you have <x id="4"/> messages &amp; more.'],
        "de",
        rules=MarkupRules.of_xml(),
    )
    assert '<x id="3"></x>' in answer.text
    assert '<x id="4"/>' in answer.text
    assert "&amp;" in answer.text or "und" in answer.text


def test_what_is_left_untranslated_is_left_as_it_is(translator):
    """A text in the target language already: the same bytes, tags inside words too."""
    text = "<p>This sentence is al<b>ready</b> written in <i>English</i>, and it\n should stay.</p>"
    [answer] = translate_markup(translator, [text], to="en")
    assert answer.text == text
    assert answer.ledger.already == 1


def test_alternatives_where_there_are_no_tags(translator):
    options = attendo.TranslationOptions(n_best=2)
    plain, tagged = translate_markup(
        translator, ["<p>a &lt; b, says he.</p>", "<p>I <b>sleep</b>.</p>"], "de", "en", options
    )
    assert len(plain.alternatives) == 1
    assert plain.alternatives[0].startswith("<p>")
    assert "&lt;" in plain.alternatives[0]
    assert tagged.alternatives == ()
