"""Sentence borders: nothing is lost whatever the text, and a table of borders that are hard to see."""

import time

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from attendo.text import sentences
from attendo.text.normalize import LINE_BREAKS, edges
from attendo.text.sentences import Segment, cut_positions, join, restore, split
from attendo.text.verbatim import undivided
from tests.reference.growth import exponent

LANGUAGES = ["zh", "en", "de", "fr", "cs", "ja", "ar"]
BREAKS = ["\r\n", "\u2028", "\x85", "\u00a0", "\u3000", "\u200b", "\ufeff", "\ud800", "\0", "\u202e", "\u0301"]
WORDS = ["Dr. ", "z. B. ", "3. ", "3.14", "http://a.b/c?d=1. ", "……", "”他说", "👩‍👩‍👧", "🇩🇪", "؟ ", "। "]
TAGS = ["<br />", "<br>\n"]
PIECES = st.sampled_from([*" \n\t.!?。！？…,;'\"“”«»「」()1aZäß我好のé", *BREAKS, *WORDS, *TAGS])
TEXTS = st.one_of(st.text(max_size=80), st.lists(PIECES, max_size=60).map("".join))


@settings(max_examples=400, deadline=None)
@given(TEXTS, st.sampled_from(LANGUAGES), st.sampled_from([8, 20, 400]))
def test_the_quick_look_changes_nothing(text, language, longest):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sentences, "is_one_sentence", lambda text, longest: False)
        slowly = split(text, language, longest)
    assert split(text, language, longest) == slowly


def test_the_quick_look_sees_most_sentences():
    assert all(sentences.is_one_sentence(text, 400) for text in ("你好吗？", "How are you?", "3 apples", " Hi!"))
    assert not any(sentences.is_one_sentence(text, 400) for text in ("", " ", "Hi! You?", "a\nb", "a" * 300))


# Each text with | where a sentence must begin, and nowhere else.
HARD = {
    "zh": [
        "你好。|我是小王。|你呢？|我很好！",
        "他说：“你好。”|然后他走了。",
        "“走吧！”小王说。|我们就走了。",
        "“什么？！”她叫道。",
        "我……我不知道。|真的。",
        "他走了很远很远……|天慢慢黑了。",
        "他问：「去吗？」|我没有回答。",
        "圆周率是3.14，不是3.15。|对吧？",
        "价格是1,234.50元。|太贵了！！！|不买。",
        "（这是括号。）|下一句。",
        "真的吗?|是的!|好吧.",
        "请看https://example.org/a?b=1。|谢谢。",
        "发邮件到a.b@example.org。|谢谢！",
        "我用的是Node.js。|他用的是Vue.js。",
        "第一，要快；第二，要好。",
        "《你好，李焕英》！|好看。",
        "版本是v1.2.3。|请升级。",
        "哈哈哈！！|笑死我了～|".rstrip("|"),
        "他说\"你好。\"|然后走了。",
        "啊！，吓我一跳。",
    ],
    "en": [
        "Hello. |How are you? |Fine!",
        "Dr. Smith and Mrs. Jones met Prof. Lee. |They talked.",
        "It costs 3.14 dollars. |That is 2.5 times more.",
        "He came at 5 p.m. |She left at 6 a.m. sharp.",
        "The U.S. Army is large. |The U.S. is large.",
        "He lives in the U.S. |He likes it.",
        "J. R. R. Tolkien wrote it. |C. S. Lewis read it.",
        "Take plan B. |We have no plan A.",
        "See fig. 3 and No. 5. |No. |I won't.",
        "Item no. ABC-1234-X is sold out. |No. |Really.",
        "See no. A-4 and no. AB4 and no. #4. |Done.",
        "No. |A4 paper is fine. |No. 4 is, too.",
        "He said no. |B2 is the answer.",
        "Is it free? |No. |(3 euros each.) |No. |AB-4 is.",
        "Fruit, e.g. apples, i.e. Apples. |Good.",
        "Apples, pears, etc. |The rest is gone.",
        "Apples, pears, etc. are gone. |Really.",
        "Well... I do not know. |Wait... |What?",
        "\"Stop!\" he said. |\"Why?\" she asked.",
        "\"Stop!\" |She ran. |\"Why?\"",
        "Visit https://example.org/a.b?c=d. |Then write to a.b@example.org. |Thanks.",
        "Yahoo! is old. |Is it?",
        "1. Wash your hands. |2. Dry them. |3. Eat.",
        "He has 3. |She has 4. |Together 7.",
        "In 1990. |In 2000.",
        "Acme Inc. was sold. |Acme Inc. |It was sold.",
        "This is (very) odd. |(I think.) |Yes.",
        "Mt. Everest is high. |St. Louis is not.",
        "The salary is a lawyer's. |I'm glad.",
        "Version 2.0.1 is out. |Get it.",
        "What?! |Really?? |Yes.",
        "Use .NET or file.txt now. |Done.",
        "It was I. |He knew.",
    ],
    "de": [
        "Am 3. Oktober ist frei. |Am 4. nicht.",
        "Im 19. Jahrhundert war das so. |Heute nicht.",
        "Herr Dr. Müller kommt. |Er kommt um 8.30 Uhr.",
        "Obst, z.B. Äpfel, und d.h. Birnen. |Gut.",
        "Obst, z. B. Äpfel, u. a. Birnen. |Gut.",
        "Äpfel, Birnen usw. |Die sind gut.",
        "Äpfel, Birnen usw. sind gut. |Ja.",
        "Das sind 3 Mio. Euro. |Viel Geld.",
        "Siehe S. 5, Nr. 7 und Abs. 2. |Danke.",
        "Karl V. war Kaiser. |Ludwig XIV. war König.",
        "Es kostet 3. |Dann gehen wir.",
        "„Komm!“, rief er. |„Nein.“ |Sie ging.",
        "»Komm!« |»Nein.«",
        "Er wurde 1990 geboren. |Er starb 2020. |Er war alt.",
        "Das sind ca. 3,5 Liter bzw. Kilo. |Reicht das?",
        "Er sagte: Halt! |Wer da?",
        "Der 2. Weltkrieg endete 1945. |Danach kam Frieden.",
        "Die Firma Acme Corp. Berlin ist neu. |Sie wächst.",
    ],
    "fr": [
        "Bonjour ! |Ça va ? |Oui.",
        "« Bonjour ! » dit-il. |« Oui ! » |Il partit.",
        "M. Le Pen est venu. |Mme. Durand aussi.",
        "C'est la p. 5 du chap. 3. |Bien.",
        "Des pommes, des poires, etc. |Le reste est parti.",
        "Cela coûte 3,14 euros. |C'est cher…|".rstrip("|"),
        "Le 1er mai… |Il pleut.",
        "J.-P. Dupont arrive. |Il est là.",
        "Qu'est-ce que c'est ?! |Rien.",
    ],
    "cs": [
        "Dne 3. října přijel. |Pak odjel.",
        "Ovoce, např. jablka, atd. |To je dobré.",
        "Ing. Novák a MUDr. Svoboda přišli. |Oni zůstali.",
        "Viz str. 5 a č. 7. |Díky!",
    ],
    "ja": ["こんにちは。|元気ですか？|はい！", "「行こう。」と言った。|そして行った。", "本当？！|うん。"],
    "ar": ["كيف حالك؟ |أنا بخير.", "مرحبا. |كيف حالك؟"],
    "hi": ["नमस्ते। |आप कैसे हैं? |ठीक।"],
    "mixed": [
        "Hello!|你好。|How are you? |我很好。",
        "我爱AI。|I love AI. |真的！",
        "iPhone 3.5寸。|Mr.李来了。|OK?",
        "他说OK.|然后走了。",
    ],
}  # fmt: skip
CASES = [(language, text) for language, texts in HARD.items() for text in texts]


@pytest.mark.parametrize(("language", "text"), CASES)
def test_hard_borders(language, text):
    wanted = [part.strip() for part in text.split("|")]
    assert [segment.text for segment in split(text.replace("|", ""), language)] == wanted


def test_there_are_enough_hard_borders(evidence):
    assert len(CASES) >= 60
    wrong = [text for language, text in CASES if "|".join(marked(text, language)) != text]
    assert wrong == []
    evidence("X4", "hand-written texts whose sentence borders are not all found, 8 languages", f"0 of {len(CASES)}")


def marked(text, language):
    return [segment.text + segment.after for segment in split(text.replace("|", ""), language)]


@settings(max_examples=300, deadline=None)
@given(TEXTS, st.sampled_from(LANGUAGES), st.sampled_from([4, 17, 400]))
@example("000000000000000{}", "zh", 4)  # a cut that would part a placeholder moves; leaving it out made five of four
def test_no_character_is_lost(text, language, longest):
    segments = split(text, language, longest)
    assert restore(segments) == text
    assert sum(map(len, segments)) == len(text)
    for segment in segments:
        assert edges(segment.text) == ("", segment.text, "")
        assert len(segment.text) <= longest or undivided(segment.text)  # a tag stays whole: <A00>
        assert not set(segment.text) & set(LINE_BREAKS)
    assert all(segment.text for segment in segments) or len(segments) == 1
    assert not any(segment.before for segment in segments[1:])


@settings(max_examples=300, deadline=None)
@given(TEXTS, st.sampled_from(LANGUAGES), st.sampled_from(["zh", "en"]))
def test_joined_text_has_the_lines_of_the_source(text, source, target):
    """Whatever the model says, even line breaks: lines, their order and the edges of the text stay."""
    segments = split(text, source)
    joined = join(["\u2028ok\n\n fine\r" for _ in segments], segments, target)
    assert [c for c in joined if c in LINE_BREAKS] == [c for c in text if c in LINE_BREAKS]
    before, inner, after = edges(text)
    if inner:
        assert joined.startswith(before)
        assert joined.endswith(after)
    else:
        assert joined == text


def test_spaces_follow_the_target():
    segments = split("  你好。我是小王。\n再见！ ", "zh")
    assert join(["Hello.", " I am Wang.", "Bye!"], segments, "en") == "  Hello. I am Wang.\nBye! "
    segments = split("Hello. I am Wang.\tBye!", "en")
    assert join(["你好。", "我是小王。", "再见！"], segments, "zh") == "你好。我是小王。\t再见！"
    assert join(["OK.", "Wang.", ""], segments, "zh-CN") == "OK. Wang.\t"
    assert join(["Hallo.", "", "!"], split("One.  Two. Three.", "en"), "de") == "Hallo.  !"


def test_the_fields_of_a_table_are_texts_of_their_own():
    segments = split("apple\tred one\t\tbig\t", "en")
    assert [segment.text for segment in segments] == ["apple", "red one", "big"]
    assert join(["苹果", "红的", "大"], segments, "zh") == "苹果\t红的\t\t大\t"


def test_silent_segments_stay_as_they_are():
    segments = split("... 😀\nHello", "en")
    assert [segment.is_silent for segment in segments] == [True, False]
    assert join(["nonsense", "Hallo"], segments, "de") == "... 😀\nHallo"
    assert split("", "en") == []
    assert split(" \n ", "en") == [Segment("", " \n ")]


def test_one_translation_for_each_segment():
    with pytest.raises(ValueError, match="zip"):
        join(["one"], split("One. Two.", "en"), "de")


def test_long_sentences_are_cut_by_the_rule():
    clauses = "so it went on and on, " * 40
    pieces = split(clauses, "en", longest=100)
    assert all(piece.text.endswith(",") for piece in pieces)
    assert [piece.cut for piece in pieces] == [True] * (len(pieces) - 1) + [False]
    words = split("word " * 100, "en", longest=100)
    assert {piece.text for piece in words} == {" ".join(["word"] * 20)}
    chinese = split("天地玄黄，" * 100, "zh", longest=100)
    assert all(len(piece.text) == 50 and piece.text.endswith("，") for piece in chinese)
    # In the middle of a word nothing comes between the pieces.
    letters = split("x" * 950, "en")
    assert join([piece.text for piece in letters], letters, "de") == "x" * 950


@pytest.mark.parametrize("unit", ["e\u0301", "🇩🇪", "👍🏽", "👩‍👧", "\ud83d\ude00", "क्षि"])
def test_no_cut_inside_a_character(unit):
    indices = cut_positions(unit * 500, 101)
    assert indices
    assert all(index % len(unit) == 0 for index in indices)


def test_ten_thousand_marks_on_one_letter():
    text = "e" + "\u0301" * 10_000
    assert restore(split(text, "en")) == text


REPEATED = {
    "a": "a",
    "ha": "ha ",
    "emoji": "😀",
    "marks": "\u0301",
    "dots": ". ",
    "spaced lines": " \n",
    "ordinals": "am 3. Mai ",
    "titles": "Dr. ",
    "quotes": '。"',
    "ellipses": "我……",
}


@pytest.mark.parametrize("kind", REPEATED)
def test_time_is_linear(kind, evidence):
    grows = exponent(lambda text: split(text, "de"), REPEATED[kind], 2_000)
    assert grows <= 1.2
    evidence("X5", f"splitting {kind!r} repeated 2,000 and 8,000 times: growth exponent", f"{grows:.2f}")


@pytest.mark.parametrize("kind", ["words", "no spaces", "Han"])
def test_a_megabyte_in_one_line(kind, evidence):
    text = {"words": "word " * 200_000, "no spaces": "x" * 1_000_000, "Han": "学" * 333_333}[kind]
    start = time.process_time()
    segments = split(text, "en")
    seconds = time.process_time() - start
    assert restore(segments) == text
    assert sum(segment.cut for segment in segments) == len(segments) - 1
    assert seconds < 5
    evidence("X4", f"splitting one line of 1 MB ({kind}): seconds", f"{seconds:.2f}")
    evidence("X4", f"cuts in it that are not counted ({kind})", f"0 of {len(segments) - 1}")


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ('Look <img alt="Hello. World is big."> here. Next.', ['Look <img alt="Hello. World is big."> here.', "Next."]),
        (
            "{n, plural, one {A file. Good.} other {No!}} left. Bye.",
            ["{n, plural, one {A file. Good.} other {No!}} left.", "Bye."],
        ),
        ("Say {{ a }}. Then <b>go. Now</b>.", ["Say {{ a }}.", "Then <b>go.", "Now</b>."]),
    ],
)
def test_no_sentence_ends_inside_a_tag_or_a_message(text, sentences):
    assert [segment.text for segment in split(text, "en")] == sentences


def test_many_tags_in_a_line_take_no_longer_than_they_must():
    """Each border is looked up among the tags, not held against every one."""
    text = '<i a="x. Y">Oh. </i> ' * 20_000
    assert restore(split(text, "en")) == text


@pytest.mark.parametrize(
    ("text", "sentences", "joined"),
    [
        ("I saw him.<br />He was tired.", ["I saw him.", "He was tired."], "A.<br />B."),
        ("Wo ist er?<BR>Ich weiß <br/> nicht", ["Wo ist er?", "Ich weiß", "nicht"], "A.<BR>B. <br/> C."),
        ("<br>- Was?<br><br>\n- Nichts.<br />", ["- Was?", "- Nichts."], "<br>A.<br><br>\nB.<br />"),
        ("a <bra> b, c <br x> d", ["a <bra> b, c <br x> d"], "A."),
    ],
)
def test_a_br_ends_a_line(text, sentences, joined):
    found = split(text, "en")
    assert [segment.text for segment in found] == sentences
    assert restore(found) == text
    assert join(["A.", "B.", "C."][: len(found)], found, "de") == joined
    assert join(["A.", "B.", "C."][: len(found)], found, "zh") == joined


def test_a_text_of_nothing_but_brs_stays():
    assert restore(split("<br />" * 1_000, "en")) == "<br />" * 1_000
    assert join([""], split("<br /> <br>", "en"), "de") == "<br /> <br>"
