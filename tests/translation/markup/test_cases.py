"""What clients send, what others get wrong, and what each kind of markup becomes."""

import pytest

import attendo
from attendo.errors import AttendoError
from attendo.translation.markup.collect import Passage
from attendo.translation.markup.passages import read_passages
from attendo.translation.markup.rules import MarkupRules
from attendo.translation.markup.translate import translate_markup
from tests.translation.markup.fake_translators import (
    HTML,
    XML,
    FakeTranslator,
    by_words,
    put,
    same,
)


def read(text, rules=HTML):
    """What the model reads, passage by passage."""
    return [part.text for part in read_passages(text, rules) if isinstance(part, Passage)]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("<p>One <b>two</b>.</p><p>Three</p>", ["One two.", "Three"]),
        ("<div>a<br><br>b</div>", ["a", "b"]),
        ("I went to the<br />market yesterday.", ["I went to the market yesterday."]),  # a subtitle
        ("<p>Menu:<br>Soup<br>Fish</p>", ["Menu:", "Soup", "Fish"]),
        ("One\n  two", ["One two"]),  # white space ends no sentence
        ("a&nbsp;b &amp; &lt;c&gt;", ["a b & <c>"]),
        ("Run <code>ls <b>x</b></code> now", ["Run <x1/> now"]),
        ("<pre>int x;</pre><script>var y = 'hello';</script><style>p {}</style>", []),
        ('Hi <x id="3"></x>, <x id="4"/>', ["Hi <xx1/>, <xx2/>"]),
        ('An <i class="icon"></i> icon <img src="a"> here', ["An icon here"]),
        ('<span translate="no">@<span>me</span></span> says', ["<x1/> says"]),
        ('<span class="notranslate">ACME</span> grows', ["<x1/> grows"]),
        ("a &unknown; b", ["a <x1/> b"]),
        ("<!DOCTYPE html><html><head><title>A page</title></head>", ["A page"]),
        ("soft&shy;ly", ["softly"]),
        ("<b0>Bold</b0> text", ["Bold text"]),  # Immersive Translate
        ("&lt;x1/&gt; <code>y</code> z", ["<x1/> <xx1/> z"]),  # what looks like ours is not ours
    ],
)
def test_what_the_model_reads(text, found):
    assert read(text) == found
    assert put(text).text == text


@pytest.mark.parametrize(
    ("rules", "text", "found"),
    [
        (XML, "<doc><par>One.</par><par>Two <b>three</b>.</par></doc>", ["One.", "Two three."]),
        (XML, "Hello <b>you</b>", ["Hello you"]),
        (MarkupRules.of_xml(outline=False), "<b>One</b><i>two</i>", ["Onetwo"]),
        (MarkupRules.of_xml(splitting_tags=["s"]), "one <s>two</s> three", ["one", "two", "three"]),
        (MarkupRules.of_xml(non_splitting_tags=["t"]), "<t>one</t> <t>two</t>", ["one two"]),
        (MarkupRules.of_xml(ignore_tags=["keep"]), "one <keep>two</keep> three", ["one <x1/> three"]),
        (XML, "one <Code>two</Code>", ["one two"]),
        (XML, "one\ntwo", ["one\ntwo"]),
        (MarkupRules.of_xml(newlines=False), "one\ntwo", ["one two"]),
        (XML, "&lt;&#65;&apos;", ["<A'"]),
        (XML, "a <![CDATA[ x ]]> b", ["a <x1/> b"]),
    ],
)
def test_xml(rules, text, found):
    assert read(text, rules) == found
    assert put(text, same, rules).text == text


RED_CAR = by_words([("Das", "The"), ("Auto", "car"), ("ist", "is"), ("rot", "red"), (".", ".")])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("The <b>red</b> car is.", "Das Auto ist <b>rot</b>."),
        ("<b>The red car is.</b>", "<b>Das Auto ist rot.</b>"),
        ("<b>The red car is</b>.", "<b>Das Auto ist rot</b>."),
        ("The <i>red</i> <b>car</b> is.", "Das <b>Auto</b> ist <i>rot</i>."),
        ("The <b>red <i>car</i></b> is.", "Das <b><i>Auto</i></b> ist rot."),
        ("The red<img> car is.", "Das Auto ist rot<img>."),
        ("The red <img>car is.", "Das <img>Auto ist rot."),
        ("<img>The red car is.<hr>", "<img>Das Auto ist rot.<hr>"),
        ("The<!-- c --> red car is.", "Das<!-- c --> Auto ist rot."),
        ("The <b></b><i></i>red car is.", "Das Auto ist <b></b><i></i>rot."),
        ("The <a><b>red</b></a> car is.", "Das Auto ist <a><b>rot</b></a>."),
        ("The <b><i>red</b></i> car is.", "Das Auto ist <b><i>rot</b></i>."),
        ("<b>The red car is.", "<b>Das Auto ist rot."),
        ("The red car is.</b>", "Das Auto ist rot.</b>"),
        ("  The&nbsp;<b>red</b> car is.\n", "  Das&nbsp;Auto ist <b>rot</b>.\n"),
    ],
)
def test_tags_follow_their_words(text, found):
    answer = put(text, RED_CAR)
    assert answer.text == found
    assert answer.unplaced == ()


def test_a_hole_is_filled_only_if_it_is_worth_it():
    off = by_words([("Mach", "Turn"), ("das", "the"), ("große", "big"), ("Licht", "light"), ("aus", "off")])
    assert put("<b>Turn off</b> the big light", off).text == "<b>Mach</b> das große Licht aus"
    of_it = by_words([("Teil", "part"), ("von", ""), ("allem", "everything"), ("da", "there")])
    assert put("<b>part everything</b> there", of_it).text == "<b>Teil von allem</b> da"


def test_a_tag_whose_words_are_lost_is_counted():
    """The retry with stand-ins says the same, so the tag stands beside the nearest word."""
    answer = put(
        "I live in <b>Beijing</b> now.", by_words([("Ich", "I"), ("lebe", "live"), ("jetzt", "now"), (".", ".")])
    )
    assert answer.text == "Ich lebe <b></b>jetzt."
    assert [(note.kind, note.tag) for note in answer.unplaced] == [("tag", "<b>")]
    assert answer.ledger.tags_unplaced == 1
    assert not answer.ledger.is_clean
    assert "tag or placeholder" in answer.ledger.remarks()[0]


def test_a_tag_whose_words_are_lost_is_tried_again_with_stand_ins():
    def say(text):
        if "<xt0>" not in text:
            return by_words([("Ich", "I"), ("lebe", "live"), (".", ".")])(text)
        return "Ich lebe in <xt0>Peking</xt0>.", None

    answer = put("I live in <b>Beijing</b>.", say)
    assert answer.text == "Ich lebe in <b>Peking</b>."
    assert answer.ledger.tags_unplaced == 0


def test_an_engine_that_cannot_align():
    translator = FakeTranslator(lambda text: (text.replace("One", "Eins"), None))
    [answer] = translate_markup(translator, ["<p>One <b>two</b>, <img>three &amp; four</p>"], from_="en")
    assert answer.text == "<p>Eins <b>two</b>, <img>three &amp; four</p>"
    assert translator.asked == ["One two, three & four", "One <xt0>two</xt0>, <xt2/>three & four"]


def test_a_placeholder_that_is_lost_or_doubled():
    lost = put("Press <code>x</code> now", by_words([("Jetzt", "now"), ("drücken", "Press")]))
    assert lost.text == "<code>x</code> Jetzt drücken"
    assert [(note.kind, note.tag) for note in lost.unplaced] == [("placeholder", "<code>x</code>")]
    doubled = put("Press <code>x</code> now", lambda text: ("<x1/> drücke <x1/> <x2/>!", ()))
    assert doubled.text == "<code>x</code> drücke  !"


def test_what_is_inserted_is_escaped():
    """Even if a model says tags: none comes out that did not come in."""
    evil = put("Hello you", lambda text: ('<script>alert("1 & 2")</script>', ()))
    assert evil.text == '&lt;script&gt;alert("1 &amp; 2")&lt;/script&gt;'
    stray = put("1 < 2 & so", lambda text: ("<b & &lt;", ()))
    assert stray.text == "&lt;b & &amp;lt;"


def test_entities_as_the_source_writes_them():
    answer = put("x &lt; &quot;y&quot; caf&eacute; é", lambda text: ('"z" < é é é ä', ()))
    assert answer.text == "&quot;z&quot; &lt; &eacute; é é ä"


def test_libretranslates_mistakes():
    """What it does to HTML: entities become tags, the doctype a word, white space ends sentences."""
    page = "<!DOCTYPE html>\n<html>\n<p>A &lt;b&gt; tag\n   and <i><b>more</b></i> of it.</p>\n</html>\n"
    assert read(page) == ["A <b> tag and more of it."]
    assert put(page).text == page


def test_mastodons_mentions():
    post = (
        '<p><span class="h-card" translate="no"><a href="https://a.org/@me" class="u-url mention">@<span>me</span></a>'
        "</span> Guten Tag!</p>"
    )
    assert read(post) == ["<x1/> Guten Tag!"]
    assert put(post).text == post


def test_several_texts_and_none():
    answers = translate_markup(FakeTranslator(same), ["<p>a</p>", "", "<br>", "b"], to="de", from_="en")
    assert [answer.text for answer in answers] == ["<p>a</p>", "", "<br>", "b"]
    assert [len(answer.passages) for answer in answers] == [1, 0, 0, 1]
    assert answers[1].ledger.is_clean
    assert answers[0].source_language == "en"
    assert answers[0].target_language == "de"
    assert str(answers[0]) == "<p>a</p>"
    assert answers[0].to_dict()["unplaced"] == []


def test_wrong_arguments():
    for texts, options, rules in (["a", 1], attendo.TranslationOptions(), HTML), ("a", attendo.TranslationOptions(), 1):
        with pytest.raises(AttendoError):
            translate_markup(FakeTranslator(same), texts, options=options, rules=rules)
