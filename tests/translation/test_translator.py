"""The Translator over a model that has learnt nothing: order, spaces, ledger, guard, batches, streams, terms."""

import random
import re
import time
from dataclasses import replace

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import attendo
from attendo.decoding.length import longest_output
from attendo.decoding.options import SearchOptions
from attendo.errors import InputError, UsageError
from attendo.model.config import DecoderOnlyConfig, EncoderOnlyConfig, RecurrentConfig, TransformerConfig
from attendo.special_tokens import SPECIAL
from attendo.text.normalize import LINE_BREAKS
from attendo.translation.glossary import Glossary, Term
from attendo.translation.options import TranslationOptions
from tests.translation.small_translator import random_translator, save_random

GREEDY = TranslationOptions(beam=1)
SENTENCES = ["我爱机器学习。", "你好吗？", "他昨天买了三本书。", "机器学习很有趣！", "书", "三本书花了元，有趣吗？"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return save_random(tmp_path_factory.mktemp("translator") / "model", ends=9.0)


@pytest.fixture(scope="module", params=["torch", "ct2"])
def translator(request, folder, tmp_path_factory):
    """What the Translator promises holds with either engine."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ATTENDO_CACHE", str(tmp_path_factory.mktemp("cache")))
        return attendo.load(folder, engine=request.param, device="cpu", threads=1)


def texts(alphabet="我爱你。！？，abc DE12.!?\n\t\r \u2028\x85\x0b\0😀é\u3000"):
    return st.text(st.sampled_from(alphabet), max_size=60) | st.text(max_size=30)


# --- what comes in comes out


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(texts(), max_size=5))
def test_every_text_has_an_answer_and_every_character_an_account(translator, lines):
    answers = translator.translate(lines, to="en", options=GREEDY)
    assert len(answers) == len(lines)
    for line, answer in zip(lines, answers, strict=True):
        ledger = answer.ledger
        assert ledger.adds_up
        assert ledger.characters_in == len(line)
        breaks = f"[{LINE_BREAKS}]"
        assert re.findall(breaks, answer.text) == re.findall(breaks, line)


SILENT = [
    "", " ", "\n\n", "\u00a0\u3000", "\u200b", "\x01", "...", "！？", "—", "😀", "https://example.org/a?b=c",
    "www.seven-seas.example", "anna.braun@example.com",
]  # fmt: skip


@pytest.mark.parametrize("silent", SILENT)
def test_where_there_is_nothing_to_say_the_model_is_not_asked(folder, silent):
    translator = attendo.load(folder, engine="torch", device="cpu")

    def never(*_):
        raise AssertionError("asked")

    translator.engine.search = never
    answer = translator.translate(silent, to="en")
    assert answer.text == silent
    assert answer.score is None
    assert answer.tokens == 0
    assert answer.ledger.is_clean


def test_order_blank_lines_and_edges_stay(translator):
    given_texts = ["  你好吗？ ", "", "我爱机器学习。\n\n\t书\n", "\n", "三本书。"]
    answers = translator.translate(given_texts, to="en", options=GREEDY)
    for text, answer in zip(given_texts, answers, strict=True):
        head = len(text) - len(text.lstrip())
        tail = len(text.rstrip())
        assert answer.text.startswith(text[:head])
        assert answer.text.endswith(text[tail:])
        assert answer.text.count("\n") == text.count("\n")
    assert [answer.text for answer in answers] == [
        translator.translate(text, to="en", options=GREEDY).text for text in given_texts
    ]


@pytest.mark.parametrize("translator", ["ct2"], indirect=True)  # whose engine is not asked
def test_a_line_of_a_megabyte_is_cut_and_the_cuts_are_counted(translator, evidence):
    translator = attendo.Translator(translator.bundle, translator.tokenizer, Echo(translator.engine))
    line = "机器学习很有趣，我爱机器学习" * 72_000
    started = time.perf_counter()
    answer = translator.translate(line, to="en")
    seconds = time.perf_counter() - started
    assert answer.ledger.adds_up
    assert answer.ledger.characters_in == len(line)
    assert answer.ledger.cut == answer.ledger.segments - 1 > 1_000
    assert any("cuts" in remark for remark in answer.remarks)
    evidence("X4", "1,008,000 characters in one line: characters accounted for", answer.ledger.characters_accounted_for)
    evidence("X4", "seconds without the model", f"{seconds:.1f}")


class Echo:
    """Says the source's own pieces: an engine that takes no time."""

    name = "echo"
    tokens_per_batch = 10_000

    def __init__(self, real):
        self.limits = real.limits

    def search(self, requests, options, *, attention=False):
        from attendo.decoding.hypothesis import Hypothesis

        return [[Hypothesis.of(request.ids[1:], [-0.1] * (len(request.ids) - 1), 1.0)] for request in requests]


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(texts())
def test_the_ledger_adds_up_for_any_text(translator, text):
    echo = attendo.Translator(translator.bundle, translator.tokenizer, Echo(translator.engine))
    answer = echo.translate(text, to="en")
    assert answer.ledger.characters_in == len(text) == answer.ledger.characters_accounted_for
    assert answer.ledger.lines_in == answer.ledger.lines_out == 1


def test_tokens_are_what_the_model_counts(tmp_path):
    """Rare characters take four tokens each: a segment of few characters may still be too long, and is cut again."""
    config = TransformerConfig(
        vocab_size=8, d_model=16, d_ff=32, num_heads=2, encoder_layers=1, decoder_layers=1, positions="learned",
        max_length=64,
    )  # fmt: skip
    translator = random_translator(tmp_path / "model", config=config)
    answer = translator.translate("𠀀𠀁𠀂𠀃𠀄" * 20, to="en", options=GREEDY)
    assert answer.ledger.adds_up
    assert answer.ledger.cut >= 400 // 64
    for sentence in answer.sentences:
        assert len(translator.tokenizer.encode(sentence.source)) + 2 <= 64


# --- the guard


INPUTS = ["你好", "缓缓走来", "奥沙利文6比3丁俊晖", "salad", "John Smith", "1.", "ha " * 100]


@pytest.mark.parametrize("ends", [0.0, 6.0])
def test_every_answer_ends_within_its_bound_and_every_loop_is_flagged(tmp_path, ends, evidence):
    translator = random_translator(tmp_path / "model", ends=ends)
    flagged = 0
    for text in INPUTS:
        for options in (GREEDY, TranslationOptions(beam=2))[: 1 if len(text) > 50 else 2]:
            answer = translator.translate(text, to="en", options=options)
            for sentence in answer.sentences:
                bound = longest_output(len(translator.tokenizer.encode(sentence.source)) + 2, "bpe")
                if sentence.hypothesis is not None:
                    assert sentence.hypothesis.ended
                    assert len(sentence.hypothesis.ids) <= bound
                    assert not obvious_loop(sentence.text, sentence.source)
                else:
                    assert sentence.outcome == "copied"
                    assert sentence.text == sentence.source
                flagged += sentence.repeated
            wild = [one for one in answer.sentences if one.repeated or one.outcome == "copied"]
            assert bool(wild) == bool(answer.ledger.repeated or answer.ledger.untranslated)
            assert bool(answer.remarks) >= bool(wild)
            assert answer.ledger.adds_up
    assert flagged, "a model that has learnt nothing goes round in circles"
    evidence("X5", f"loops found and flagged, </s> {ends:g} likelier", flagged)


def obvious_loop(text, source):
    """By another way than the guard's: up to 20 characters twelve times in a row, unlike the source."""
    pattern = re.compile(r"(.{1,20}?)\1{11,}", re.DOTALL)
    return bool(pattern.search(text)) and not pattern.search(source)


def test_the_first_loop_is_seen_before_anything_is_done_about_it(tmp_path):
    """Of what the search itself says, each loop is reported: none is mended in silence."""
    translator = random_translator(tmp_path / "model", seed=2, ends=6.0)
    for text in INPUTS[:-1]:
        answer = translator.translate(text, to="en", options=GREEDY)
        for sentence, request in zip(answer.sentences, requests_of(translator, text), strict=True):
            first = next(translator.engine.search([request], GREEDY.search))[0]
            if obvious_loop(translator.tokenizer.decode(first.ids), text):
                assert sentence.repeated
                assert answer.remarks


def requests_of(translator, text):
    return [one.request for one in translator.preparer.prepare(text, "en", None, GREEDY).asked.values()]


# --- the same answer every time


@pytest.mark.parametrize("beam", [1, 4])
def test_alone_or_among_others_the_answer_is_the_same(folder, translator, beam, evidence):
    """X8: 200 sentences alone, in batches of all sizes and orders, with one thread and with two."""
    rng = random.Random(beam)
    letters = "我爱机器学习很有趣你好吗他昨天买了三本书"
    sentences = ["".join(rng.choices(letters, k=rng.randint(1, 16))) + "。" for _ in range(200)]
    options = SearchOptions(beam_size=beam)
    requests = [requests_of(translator, text)[0] for text in sentences]
    requests = [type(one)(one.ids, min(one.max_length, 8)) for one in requests]
    alone = [next(translator.engine.search([request], options))[0].ids for request in requests]
    differences = 0
    for threads in (1, 2):
        torch.set_num_threads(threads)
        try:
            order = list(range(200))
            rng.shuffle(order)
            for start in range(0, 200, 64):
                group = order[start : start + 64]
                found = translator.engine.search([requests[index] for index in group], options)
                differences += sum(
                    hypotheses[0].ids != alone[index] for index, hypotheses in zip(group, found, strict=True)
                )
        finally:
            torch.set_num_threads(1)
    evidence(
        "X8", f"differences over 200 sentences, beam {beam}, alone and in batches of 64, 1 and 2 threads", differences
    )
    assert differences == 0


def test_no_control_character_comes_out_of_the_model(translator):
    class Says(Echo):
        def search(self, requests, options, *, attention=False):
            from attendo.decoding.hypothesis import Hypothesis

            ids = (*translator.tokenizer.encode("a\x16b\x85c\nd\x00e"), SPECIAL.eos)
            return [[Hypothesis.of(ids, [-0.1] * len(ids), 1.0)] for _ in requests]

    fixed = attendo.Translator(translator.bundle, translator.tokenizer, Says(translator.engine))
    assert fixed.translate("fun", to="zh").text == "ab c de"


def test_twice_the_same_text_is_decoded_once(folder):
    translator = attendo.load(folder, engine="torch", device="cpu")
    asked = []
    search = translator.engine.search
    translator.engine.search = lambda requests, options: asked.extend(requests) or search(requests, options)
    answers = translator.translate(
        ["你好吗？"] * 5, to="en", options=TranslationOptions(search=SearchOptions(beam_size=1, no_repeat_ngram=2))
    )
    assert len({answer.text for answer in answers}) == 1
    assert len({request.ids for request in asked}) == 1
    assert len(asked) <= 4  # and once for each way to try again


# --- streams


def test_sentences_come_as_they_are_ready_and_make_up_the_whole(translator):
    text = "  你好吗？我爱机器学习。\n\n他昨天买了三本书！  书 "
    parts = list(translator.stream(text, to="en", options=GREEDY))
    assert len(parts) == 4
    assert "".join(parts) == translator.translate(text, to="en", options=GREEDY).text
    first = next(iter(translator.stream(text, to="en", options=GREEDY)))
    assert first == parts[0]


def test_tokens_come_one_by_one_and_make_up_greedy_search(folder, translator):
    [request] = requests_of(translator, "你好吗？")
    whole = next(translator.engine.search([request], GREEDY.search))[0]
    assert tuple(translator.engine.tokens(request)) == whole.ids
    text = "".join(translator.stream_tokens(" 你好吗？ ", to="en"))
    expected = translator.tokenizer.decode(whole.ids)
    assert text.strip() == expected.strip()
    assert text.startswith(" ")
    assert text.endswith(" ")
    with pytest.raises(InputError, match="2 sentences"):
        list(translator.stream_tokens("你好吗？我爱你。", to="en"))


# --- terms, and things to keep


def test_a_term_of_the_glossary_is_said(translator, evidence):
    glossary = Glossary([Term("机器学习", "machine learning"), Term("你好", "Hello")])
    options = TranslationOptions(search=SearchOptions(no_repeat_ngram=2), glossary=glossary, keep=True)
    answers = translator.translate(["我爱机器学习。", "你好吗？", "三本书"], to="en", options=options)
    assert "machine learning" in answers[0].text
    assert "Hello" in answers[1].text
    assert "machine" not in answers[2].text


def test_what_was_lost_is_said_when_it_must_be(translator):
    options = TranslationOptions(search=SearchOptions(no_repeat_ngram=2))
    source = "他花了三元😀。"
    lost = translator.translate(source, to="en", options=replace(options, wider_retry=False))
    assert lost.ledger.flagged == 1
    assert any("'😀'" in remark for remark in lost.remarks)
    kept = translator.translate(source, to="en", options=replace(options, keep=True))
    assert "😀" in kept.text
    assert not any("missing in the translation" in remark for remark in kept.remarks)


# --- languages


def test_traditional_chinese_is_read_as_simplified_and_said_to_be(translator):
    simple = translator.translate("我爱机器学习。", to="en", options=GREEDY)
    other = translator.translate("我愛機器學習。", to="en", options=GREEDY)
    assert other.text == simple.text
    assert any("traditional" in remark for remark in other.remarks)
    assert not simple.remarks or not any("traditional" in remark for remark in simple.remarks)


def test_the_reader_may_want_traditional_characters(translator):
    class Says(Echo):
        def search(self, requests, options, *, attention=False):
            from attendo.decoding.hypothesis import Hypothesis

            ids = (*translator.tokenizer.encode("我爱机器学习"), SPECIAL.eos)
            return [[Hypothesis.of(ids, [-0.1] * len(ids), 1.0)] for _ in requests]

    fixed = attendo.Translator(translator.bundle, translator.tokenizer, Says(translator.engine))
    assert fixed.translate("fun", to="zh").text == "我爱机器学习"
    assert fixed.translate("fun", to="zh-TW").text == "我愛機器學習"
    assert fixed.translate("fun", to="zh-TW").target_language == "zh-TW"


def test_languages_the_model_does_not_know(translator):
    with pytest.raises(InputError, match=r"into 'fr'.*zh-en, en-zh"):
        translator.translate("你好", to="fr")
    with pytest.raises(InputError, match=r"from 'de' into 'en'"):
        translator.translate("Hallo", to="en", from_="de")
    with pytest.raises(UsageError, match="into en, zh"):
        translator.translate("你好")
    with pytest.raises(InputError, match="a text is int"):
        translator.translate([1], to="en")


@pytest.mark.parametrize(
    "config",
    [
        DecoderOnlyConfig(vocab_size=8, d_model=16, d_ff=32, num_heads=2, num_layers=1),
        RecurrentConfig(vocab_size=8, d_model=16, encoder_layers=1, decoder_layers=1),
    ],
    ids=["decoder only", "lstm"],
)
def test_every_family_that_can_translate_does(tmp_path, config):
    translator = random_translator(tmp_path / "model", config=config)
    answer = translator.translate("你好吗？书", to="en", options=TranslationOptions(beam=2, n_best=2))
    assert answer.ledger.adds_up
    assert len(answer.sentences) == 2


def test_an_encoder_alone_cannot_translate(tmp_path):
    config = EncoderOnlyConfig(vocab_size=8, d_model=16, d_ff=32, num_heads=2, num_layers=1)
    with pytest.raises(InputError, match="encoder alone"):
        random_translator(tmp_path / "model", config=config)


def test_an_answer_tells_how_it_came_about(translator):
    options = TranslationOptions(search=SearchOptions(n_best=3, no_repeat_ngram=2))
    answer = translator.translate("你好吗？", to="en", options=options)
    table = answer.to_dict()
    assert table["text"] == answer.text == str(answer)
    assert (table["from"], table["to"]) == ("zh", "en")
    assert len(table["alternatives"]) == 2
    assert answer.text not in answer.alternatives
    assert table["engine"] == translator.engine.name
    assert answer.seconds > 0
    best = answer.sentences[0].hypothesis
    assert answer.tokens == len(best.ids)
    assert answer.score == pytest.approx(best.log_prob / len(best.ids))
    if translator.engine.name.startswith("CTranslate2"):
        return  # what must not be output it takes away before the softmax, so that its scores are higher
    scored = translator.engine.score([(requests_of(translator, "你好吗？")[0], best.ids)])
    assert scored[0].log_prob == pytest.approx(best.log_prob, abs=1e-4)
