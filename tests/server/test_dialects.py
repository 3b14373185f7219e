"""Every request of a known client becomes the right job, and its answer has all that the client reads."""

import json
import time
from contextlib import suppress
from email import message_from_bytes
from email.policy import HTTP
from urllib.parse import parse_qs, urlsplit

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from attendo.server.dialects import deepl, deeplx, google, hcfy, immersive, kiss, libretranslate, mtran, own
from attendo.server.dialects.tell import dialect_of
from attendo.server.job import Answer, Job, RequestError
from tests.server.client_requests import REQUESTS, as_json, check

DIALECTS = {
    dialect.NAME: dialect for dialect in (libretranslate, deepl, deeplx, mtran, immersive, kiss, hcfy, google, own)
}
TRANSLATING = [request for request in REQUESTS if request.dialect]
KINDS = ["bad-request", "language", "key", "too-large", "too-many", "busy", "late", "internal"]


def values_of(request):
    """The body as a server hands it to a dialect; the query where there is none."""
    kind = request.headers.get("content-type", "application/json")
    if request.method == "GET":
        return flat(parse_qs(urlsplit(request.path).query, keep_blank_values=True))
    if kind.startswith("multipart/"):
        message = message_from_bytes(f"Content-Type: {kind}\r\n\r\n".encode() + request.body, policy=HTTP)
        parts = [(part.get_param("name", header="content-disposition"), part) for part in message.iter_parts()]
        return {name: part.get_payload(decode=True).decode() for name, part in parts}
    if "urlencoded" in kind:
        return flat(parse_qs(request.body.decode(), keep_blank_values=True))
    return json.loads(request.body)


def flat(values):
    return {key: found if len(found) > 1 else found[0] for key, found in values.items()}


def job_of(request):
    dialect = DIALECTS[request.dialect]
    return dialect.read(values_of(request), list_route=request.path == "/translate/batch")


def made_answers(job):
    return [
        Answer(text=f"[{text}]", source="de", target="zh-Hant", detected=job.source is None, confidence=0.9,
               source_text=text, alternatives=("one", "two")[: job.alternatives])
        for text in job.texts
    ]  # fmt: skip


@pytest.mark.parametrize("request_", TRANSLATING, ids=str)
def test_a_request_becomes_its_job(request_):
    assert job_of(request_) == Job(**request_.job)


@pytest.mark.parametrize("request_", TRANSLATING, ids=str)
def test_the_answer_has_all_that_the_client_reads(request_):
    job = job_of(request_)
    written = DIALECTS[request_.dialect].write(job, made_answers(job))
    check(request_, json.loads(json.dumps(written, allow_nan=False)))


@pytest.mark.parametrize("request_", [one for one in TRANSLATING if urlsplit(one.path).path == "/translate"], ids=str)
def test_one_path_tells_its_dialects_by_their_keys(request_):
    assert request_.dialect == dialect_of(values_of(request_)).NAME


def test_a_list_for_deeplx_is_deepl():
    assert dialect_of({"text": ["Hallo"], "target_lang": "EN"}) is deepl


@pytest.mark.parametrize("body", [{}, {"text": "Hallo"}, {"target": "en"}, [], None, "q", 7])
def test_a_body_in_no_dialect_is_refused(body):
    with pytest.raises(RequestError) as refused:
        dialect_of(body)
    assert refused.value.kind == "bad-request"
    assert "expected" in refused.value.text


def answer(text, **others):
    return Answer(**{"text": text, "source": "en", "target": "zh", "detected": False} | others)


def test_alternatives_of_deeplx_are_empty_unless_asked_for():
    """SubtitleEdit takes alternatives[0] rather than data."""
    job = deeplx.read({"text": "Hi", "target_lang": "ZH"})
    assert deeplx.write(job, [answer("你好", alternatives=("您好",))])["alternatives"] == []
    job = deeplx.read({"text": "Hi", "target_lang": "ZH", "alternatives": 1})
    assert deeplx.write(job, [answer("你好", alternatives=("您好",))])["alternatives"] == ["您好"]


def test_libretranslate_shapes_follow_the_request():
    one = libretranslate.read({"q": "Hi", "source": "en", "target": "zh"})
    assert libretranslate.write(one, [answer("你好")]) == {"translatedText": "你好"}
    auto = libretranslate.read({"q": ["你好", "Hallo"], "source": "auto", "target": "en", "alternatives": "1"})
    answers = [answer("Hi", source="zh", confidence=0.99, alternatives=("Hello",)), answer("Hi", source="de")]
    assert libretranslate.write(auto, answers) == {
        "translatedText": ["Hi", "Hi"],
        "detectedLanguage": [{"confidence": 99.0, "language": "zh-Hans"}, {"confidence": 100.0, "language": "de"}],
        "alternatives": [["Hello"], []],
    }


def test_deepl_answers_in_its_own_names():
    job = deepl.read({"text": ["你好吗"], "target_lang": "EN-GB"})
    assert deepl.write(job, [answer("How are you?", source="zh")]) == {
        "translations": [{"detected_source_language": "ZH", "text": "How are you?", "billed_characters": 3}]
    }


def test_hcfy_speaks_chinese_and_tells_which_target_it_was():
    job = hcfy.read({"name": "x", "text": "你好\n世界", "destination": ["中文(简体)", "英语"]})
    assert job.targets == ("中文(简体)", "英语")
    assert hcfy.write(job, [answer("Hello\nWorld", source="zh", target="en")]) == {
        "text": "你好\n世界", "from": "中文(简体)", "to": "英语", "result": ["Hello", "World"],
    }  # fmt: skip


def test_google_gives_a_sentence_an_item_in_its_array_alone():
    """KISS joins those of the object with spaces."""
    said = answer("你好。再见。", sentences=(("Hi. ", "你好。"), ("Bye.", "再见。")), confidence=0.5)
    array = google.write(google.read({"q": "Hi. Bye.", "tl": "zh-CN", "sl": "auto"}), [said])
    assert array[0] == [["你好。", "Hi. ", None, None, 1], ["再见。", "Bye.", None, None, 1]]
    assert array[1:3] == [None, "en"]
    written = google.write(google.read({"q": "Hi. Bye.", "tl": "zh-CN", "sl": "auto", "dj": "1"}), [said])
    assert [item["trans"] for item in written["sentences"]] == ["你好。再见。"]


def test_google_keeps_the_whole_where_sentences_do_not_add_up():
    said = answer("<b>你好。</b>", sentences=(("Hi.", "你好。"),))
    array = google.write(google.read({"q": "<b>Hi.</b>", "tl": "zh"}), [said])
    assert array[0][0][:2] == ["<b>你好。</b>", "<b>Hi.</b>"]


def test_kiss_reads_a_list_under_either_key():
    for key in ("text", "texts"):
        job = kiss.read({key: ["a", "b"], "from": "auto", "to": "zh-CN"})
        assert kiss.write(job, [answer("甲", source="zh"), answer("乙")]) == {
            "translations": [{"text": "甲", "src": "zh-CN"}, {"text": "乙", "src": "en"}]
        }


@pytest.mark.parametrize(("value", "one_sentence"), [("0", True), (0, True), (False, True), ("1", False), (1, False),
                                                     ("nonewlines", False), (None, False)])  # fmt: skip
def test_deepl_does_not_split_where_it_is_told_so(value, one_sentence):
    assert deepl.read({"text": "a", "target_lang": "DE", "split_sentences": value}).one_sentence is one_sentence


WRONG = [
    (libretranslate, {"target": "en"}, "q is missing: expected a text or a list of texts"),
    (libretranslate, {"q": None, "target": "en"}, "q is missing"),
    (libretranslate, {"q": True, "target": "en"}, "q is true: expected a text"),
    (libretranslate, {"q": [["Hallo"]], "target": "en"}, "q[0] is a list: expected a text"),
    (libretranslate, {"q": [], "target": "en"}, "q is an empty list"),
    (libretranslate, {"q": "Hallo"}, "target is missing: expected a language"),
    (libretranslate, {"q": "Hallo", "target": "auto"}, "target is 'auto': expected a language to translate into"),
    (libretranslate, {"q": "Hallo", "target": ["en"]}, "target is a list"),
    (libretranslate, {"q": "Hallo", "target": "e" * 1_000}, "target has 1,000 characters: expected at most 60"),
    (libretranslate, {"q": "Hallo", "target": "en", "source": 7}, "source is a number"),
    (libretranslate, {"q": "Hallo", "target": "en", "format": "xml"}, "format is 'xml', which is not supported"),
    (libretranslate, {"q": "Hallo", "target": "en", "alternatives": 10**400}, "alternatives is a number of about 400"),
    (libretranslate, {"q": "Hallo", "target": "en", "alternatives": float("nan")}, "alternatives is no finite number"),
    (libretranslate, {"q": "Hallo", "target": "en", "alternatives": True}, "alternatives is true"),
    (libretranslate, {"q": "Hallo", "target": "en", "alternatives": "9" * 5_000}, "alternatives is a text"),
    (libretranslate, {"q": "a\ud800b", "target": "en"}, "q has half of a surrogate pair at character 2"),
    (libretranslate, ["q"], "the body is a list: expected an object"),
    (deepl, {"text": "a", "target_lang": "DE", "glossary_id": "def3"}, "glossary_id is 'def3': this server keeps no"),
    (deepl, {"text": "a", "target_lang": "DE", "tag_handling": "json"}, "tag_handling is 'json', which is not"),
    (deepl, {"text": "a", "target_lang": "DE", "ignore_tags": {"x": 1}}, "ignore_tags is an object"),
    (deepl, {"text": "a", "target_lang": "DE", "ignore_tags": [["x"]]}, "ignore_tags is a list: expected a list of"),
    (deepl, {"text": "a", "target_lang": "DE", "outline_detection": "maybe"}, "outline_detection is a text: expected"),
    (deeplx, {"text": {"a": 1}, "target_lang": "DE"}, "text is an object"),
    (mtran, {"text": ["a"], "to": "de"}, "text is a list: expected a text"),
    (mtran, {"text": "a", "to": "de", "html": 2}, "html is a number: expected true or false"),
    (immersive, {"text_list": "a", "target_lang": "de"}, "text_list is a text: expected a list of texts"),
    (kiss, {"texts": "a", "to": "de"}, "texts is a text: expected a list of texts"),
    (hcfy, {"text": "a", "destination": []}, "destination is an empty list"),
    (hcfy, {"text": "a", "destination": [None]}, "destination[0] is missing"),
    (google, {"q": ["a", "b"], "tl": "de"}, "q is a list: expected a text"),
    (google, {"q": "a"}, "target is missing"),
    (own, {"text": "a", "to": "de", "beam": 0}, "beam is 0: expected a whole number from 1 to 64"),
    (own, {"text": "a", "to": "de", "beam": 10**6}, "beam is 1000000: expected a whole number from 1 to 64"),
    (own, {"text": "a", "to": "de", "glossary": ["a"]}, "glossary is a list: expected an object of terms"),
    (own, {"text": "a", "to": "de", "glossary": {"a": 1}}, "a term of glossary is a number"),
    (own, {"text": "a", "to": "de", "glossary": {"": "b"}}, "a term of glossary is empty"),
    (own, {"text": "a", "to": "de", "keep": 3}, "keep is a number"),
    (own, {"text": "a", "to": "de", "keep": ["x"] * 1_001}, "keep has 1,001 terms: expected at most 1,000"),
]  # fmt: skip


@pytest.mark.parametrize(("dialect", "body", "said"), WRONG, ids=[said for _, _, said in WRONG])
def test_what_is_wrong_is_said_in_one_sentence(dialect, body, said):
    with pytest.raises(RequestError) as refused:
        dialect.read(body)
    assert refused.value.kind == "bad-request"
    assert refused.value.text.startswith(said)
    assert len(refused.value.text) < 200


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)
def test_a_refusal_has_a_status_and_says_why(dialect, kind):
    status, body = dialect.refuse(RequestError(kind, "the sentence", retry_after=3))
    assert 400 <= status < 600
    said = json.dumps(body)
    assert "the sentence" in said or (kind == "key" and dialect is libretranslate)


STATUSES = {  # the numbers that clients of each dialect know
    "libretranslate": {"bad-request": 400, "language": 400, "key": 403, "too-many": 429, "busy": 503, "late": 504},
    "deepl": {"bad-request": 400, "key": 403, "too-large": 413, "too-many": 429, "busy": 503, "late": 503},
    "deeplx": {"bad-request": 400, "key": 401, "too-many": 429, "busy": 503},
}


@pytest.mark.parametrize("name", STATUSES)
def test_statuses_are_those_that_clients_know(name):
    found = {kind: DIALECTS[name].refuse(RequestError(kind, "no"))[0] for kind in STATUSES[name]}
    assert found == STATUSES[name]


def test_errors_are_in_the_callers_form():
    error = RequestError("too-many", "too many requests", retry_after=2)
    assert libretranslate.refuse(error) == (429, {"error": "too many requests"})
    assert deepl.refuse(error) == (429, {"message": "too many requests"})
    assert deeplx.refuse(error) == (429, {"code": 429, "message": "too many requests"})
    assert google.refuse(error) == (429, {"error": {"code": 429, "message": "too many requests"}})
    assert own.refuse(error) == (429, {"error": "too many requests", "kind": "too-many", "retry_after": 2})


def test_dialect_of_gnome_finds_its_words():
    """It compares the first as a whole, and looks for the others."""
    said = {kind: libretranslate.refuse(RequestError(kind, "no"))[1]["error"] for kind in KINDS}
    assert said["key"] == "Invalid API key"
    assert "is not supported" in said["language"]
    assert "exceeds text limit" in said["too-large"]
    text = "the text of 9,000 characters exceeds character limit (5,000)"
    assert libretranslate.refuse(RequestError("too-large", text))[1] == {"error": text}


ANY_TEXT = st.text(st.characters(codec=None), max_size=20)  # lone surrogates, too
ANY_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.just(10**400) | st.floats() | ANY_TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(ANY_TEXT, inner, max_size=3),
    max_leaves=8,
)
KEYS = sorted({key for request in TRANSLATING for key in values_of(request)} | {"html", "glossary_ids", "dj"})
NEARLY = st.dictionaries(st.sampled_from(KEYS), ANY_JSON | st.sampled_from(["en", "de", "0", "auto"]), max_size=8)


@pytest.mark.parametrize("dialect", DIALECTS.values(), ids=DIALECTS)
@pytest.mark.parametrize("list_route", [False, True])
@settings(max_examples=60, deadline=None)
@example(body={"text": "a", "to": "de", "text_list": ["a"], "q": "a", "target": "en", "tl": "en", "target_lang": "DE"})
@given(body=ANY_JSON | NEARLY)
def test_any_json_is_a_job_or_an_error(dialect, list_route, body):
    try:
        job = dialect.read(body, list_route=list_route)
    except RequestError as error:
        json.dumps(dialect.refuse(error)[1]).encode()
        return
    assert isinstance(job, Job)
    assert job.texts
    assert job.targets
    json.dumps(dialect.write(job, made_answers(job)), allow_nan=False).encode()


@settings(max_examples=200, deadline=None)
@given(body=ANY_JSON | NEARLY)
def test_any_json_is_in_a_dialect_or_in_none(body):
    with suppress(RequestError):
        assert dialect_of(body).NAME in DIALECTS


def test_an_answer_that_lacks_something_is_noticed():
    for request in TRANSLATING:
        for nothing in ({}, [], [[], 0]):
            with pytest.raises((KeyError, IndexError, TypeError, AssertionError)):
                check(request, nothing)


def test_the_requests_are_what_goes_over_the_wire():
    assert as_json(q="Jürgen") == '{"q": "Jürgen"}'.encode()
    assert len({str(request) for request in REQUESTS}) >= 30


@pytest.mark.parametrize(
    ("text", "markup"),
    [
        ("The <b0>house</b0> is <b1>old</b1>.", "html"),
        ("Hello {0} <b0></b0> world", "text"),
        ("<b0> </b0> of <b1>this & that</b1>", "text"),
        ("<b0>house</b1>", "text"),
    ],
)
def test_tags_around_words_are_markup(text, markup):
    assert immersive.read({"text_list": [text], "target_lang": "de", "source_lang": "en"}).markup == markup


def test_tags_that_never_close_take_no_time():
    started = time.monotonic()
    texts = ["<b0>" + "a" * 2_000] * 25 + ["<b0>" * 12_000, "<b1>" + "-" * 50_000]
    assert immersive.read({"text_list": texts, "target_lang": "de"}).markup == "text"
    assert time.monotonic() - started < 1
