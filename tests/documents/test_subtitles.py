"""Subtitles: pysubs2 sees the cues we see; sentences run over cues and come back to them; no cue is blank."""

import re

import pysubs2
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import attendo
from attendo.documents.document import Writing
from attendo.documents.formats.cues import KEPT, NEXT_CUE, NEXT_LINE, coded
from attendo.documents.formats.dealing import WIDEST, WIDEST_HAN, balanced, by_length, dealt, fitted
from attendo.documents.formats.srt import find_srt
from attendo.documents.formats.vtt import find_vtt
from attendo.errors import DataError
from attendo.translation.markup.translate import translate_markup
from tests.documents.laws import SAME, check_put_back, find, name_of, samples, written
from tests.translation.fake_engine import fake_translator, write_fake_model

SUBTITLES = samples("srt") + samples("vtt")
WORDS = re.compile(r"\w+")
# What pysubs2 reads otherwise: a cue whose blank line is missing, tags of time, blanks before a text, notes.
READ_OTHERWISE = {
    "vtt/styles_and_notes.vtt",
    "srt/wrong_numbers.srt",
    "vtt/karaoke.vtt",
    "vtt/odd_blocks.vtt",
    "vtt/entities.vtt",
}


@pytest.mark.parametrize("path", [path for path in SUBTITLES if name_of(path) not in READ_OTHERWISE], ids=name_of)
def test_pysubs2_sees_the_same_words(path):
    text = path.read_bytes().decode("utf-8-sig")
    seen = [event for event in pysubs2.SSAFile.from_string(text, format_=path.parent.name) if event.text]
    document = find(path.read_bytes(), path)
    ours = [(cue.begins, cue.ends, document.cue_text(cue)) for group in document.groups for cue in group]
    theirs = [(event.start, event.end, event.plaintext) for event in seen if any(map(str.isalnum, event.plaintext))]
    tags = re.compile(r"<[^<>]*>|\{[^{}]*\}|&\w+;")
    assert [(one, other, WORDS.findall(tags.sub(" ", text))) for one, other, text in ours] == [
        (one, other, WORDS.findall(tags.sub(" ", text))) for one, other, text in theirs
    ]


def srt(*cues, gap=100):
    """Cues of a second each."""
    at, parts = 1_000, []
    for number, text in enumerate(cues, start=1):
        times = " --> ".join(f"00:00:{one // 1000:02},{one % 1000:03}" for one in (at, at + 1_000))
        parts.append(f"{number}\n{times}\n{text}\n")
        at += 1_000 + gap
    return "\n".join(parts).encode()


def texts(data):
    return [segment.text for segment in find_srt(data, "x.srt").segments]


def test_a_sentence_is_gathered_over_cues():
    assert texts(srt("I went to Berlin", "with my\nold friend.", "It rained.")) == [
        f"I went to Berlin{NEXT_CUE}with my{NEXT_LINE}old friend.",
        "It rained.",
    ]


@pytest.mark.parametrize(
    "cues",
    [
        ("It is over.", "and out"),  # an end mark
        ("He said", "- What?"),  # somebody else
        ("你好吗？", "很好"),
        ("♪ la la ♪", "and so on"),
        ("He said", "...", "nothing"),  # a cue without words is between
    ],
)
def test_what_does_not_go_on_stays_apart(cues):
    found = find_srt(srt(*cues), "x.srt")
    assert [len(group) for group in found.groups] == [1] * len(found.segments)


def test_a_pause_or_an_overlap_parts_a_sentence():
    assert len(texts(srt("He said", "nothing", gap=999))) == 1
    assert len(texts(srt("He said", "nothing", gap=1_000))) == 2
    assert len(texts(srt("He said", "nothing", gap=-500))) == 2


def test_other_speakers_are_not_one_sentence():
    same = "WEBVTT\n\n00:01.000 --> 00:02.000\n<v A>He said\n\n00:02.000 --> 00:03.000\n<v {}>nothing\n"
    assert len(find_vtt(same.format("A").encode(), "x").segments) == 1
    assert len(find_vtt(same.format("B").encode(), "x").segments) == 2


def test_what_is_said_of_a_cue_stays_before_it():
    data = srt(r"{\an8}I went", r"{\an8}home.")
    document = find_srt(data, "x.srt")
    assert document.segments[0].text == f"I went{NEXT_CUE}home."
    assert written(document, [f"{NEXT_CUE}Ich ging heim."]).count(rb"{\an8}") == 2


def test_two_languages_in_a_cue():
    document = find_srt(srt("Good day.\nHow are you?"), "x.srt")
    under, over = (
        written(document, ["Guten Tag.<new-line/>Wie geht es?"], Writing("de", "en", mode)).decode()
        for mode in ("under", "over")
    )
    assert "\nGuten Tag.\nWie geht es?\nGood day.\nHow are you?\n" in under
    assert "\nGood day.\nHow are you?\nGuten Tag.\nWie geht es?\n" in over


def test_no_cue_is_blank():
    document = find_srt(srt("I have seen", "the old man", "at the sea."), "x.srt")
    new = written(document, [f"Den alten Mann am Meer habe ich gesehen.{NEXT_CUE}{NEXT_CUE}"])
    again = find_srt(new, "x.srt")
    cues = [again.cue_text(cue) for group in again.groups for cue in group]
    assert len(cues) == 3
    assert " ".join(cues) == "Den alten Mann am Meer habe ich gesehen."


def test_an_element_that_a_border_tears_is_whole_in_both():
    assert list(balanced(['<font color="x">a <i>b', "c</i> d</font> e"])) == [
        '<font color="x">a <i>b</i></font>',
        '<font color="x"><i>c</i> d</font> e',
    ]
    assert dealt(["<i>a", "b</i>"], ["<i>x", "y</i>"], re.compile("-")) == ["<i>a", "b</i>"]  # so it was in the source


def test_lines_are_broken_anew_only_where_the_source_keeps_to_the_widths():
    long = "This is a translation that is much longer than one line may be"
    assert fitted([long], ["one line"]) == [long]
    two = fitted([long, "end"], ["two", "lines"])
    assert len(two) == 2
    assert max(map(len, two)) <= WIDEST
    assert " ".join(two) == f"{long} end"
    assert fitted([long, "end"], ["x" * 60, "lines"]) == [long, "end"]
    han = fitted(["这是一个比一行所能容纳的内容长得多的译文", "完"], ["two", "lines"])
    assert max(map(len, han)) <= WIDEST_HAN
    assert "".join(han).replace(" ", "") == "这是一个比一行所能容纳的内容长得多的译文完"


@given(st.text("ab 文字,.<>/i", max_size=60), st.lists(st.text("ab ", min_size=1, max_size=9), min_size=1, max_size=5))
@settings(max_examples=100, deadline=None)
def test_dealing_by_length_loses_nothing(text, sources):
    pieces = by_length(text, sources)
    assert len(pieces) == len(sources)
    assert re.sub(r"\s", "", "".join(pieces)) == re.sub(r"\s", "", text)


CUE_TEXT = st.lists(
    st.sampled_from(["one", "two.", "- no", "<i>", "</i>", r"{\an8}", "♪", "三", "a < b", "&amp;", "\n", " ", "…"]),
    min_size=1,
    max_size=8,
).map(" ".join).map(lambda text: re.sub(r"\n\s*", "\n", text).strip() or "x")  # fmt: skip


@given(
    st.lists(CUE_TEXT, min_size=1, max_size=6), st.sampled_from([0, 100, 2_000, -300]), st.sampled_from(["\n", "\r\n"])
)
@settings(max_examples=100, deadline=None)
def test_generated_subtitles(cues, gap, line_break):
    data = srt(*cues, gap=gap).decode().replace("\n", line_break).encode()
    document = find_srt(data, "x.srt")
    check_put_back(document, data)
    for group, segment in zip(document.groups, document.segments, strict=True):
        before = [document.cue_text(cue) for cue in group]
        assert segment.text.count(NEXT_CUE) == len(group) - 1
        assert len(KEPT.findall(segment.text)) == len(coded(before).signs)


@pytest.mark.parametrize("path", SUBTITLES, ids=name_of)
def test_a_translator_that_says_the_same_gives_the_same_file(path, tmp_path_factory, model):
    """Through translate_markup, as `attendo translate` does it."""
    document = find(path.read_bytes(), path)
    answers = [
        translate_markup(model, [segment.text], "en", "zh", rules=segment.rules)[0].text
        for segment in document.segments
    ]
    assert answers == [segment.text for segment in document.segments]
    assert written(document, answers, SAME) == path.read_bytes()


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return fake_translator(write_fake_model(tmp_path_factory.mktemp("subtitles") / "model"))


def test_by_the_model_that_comes_with_attendo(tmp_path):
    """A sentence over two cues, a position, a voice that stays, and a term of a glossary; no torch is asked for."""
    translator = attendo.load()
    document = find_srt(srt(r"{\an8}We talk about", "the old <i>mill</i>."), "x.srt")
    options = attendo.TranslationOptions(glossary={"mill": "Windmühle"})
    [answer] = translate_markup(
        translator, [document.segments[0].text], "de", "en", options, document.segments[0].rules
    )
    new = find_srt(written(document, [answer.text]), "x.srt")
    first, second = (new.cue_text(cue) for group in new.groups for cue in group)
    assert document.problem(0, answer.text) == ""
    assert WORDS.search(first)
    assert "<i>Windmühle</i>" in second


@pytest.mark.parametrize(
    ("finder", "data", "words"),
    [
        (find_srt, b"Hello\n", "no times"),
        (find_srt, b"1\n00:00:01,000 --> 00:00:02,000\nGr\xfcn\n", "line 3 is not UTF-8"),
        (find_vtt, b"Hello\n", "does not begin with WEBVTT"),
        (find_vtt, b"WEBVTT\n\n\xa1\n", "line 3 is not UTF-8"),
    ],
)
def test_what_is_refused(finder, data, words):
    with pytest.raises(DataError, match=words):
        finder(data, "x")
