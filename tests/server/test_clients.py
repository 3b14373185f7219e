"""Real clients and their requests, against a real server with the default model."""

import json
import re

import deepl
import pytest
from libretranslatepy import LibreTranslateAPI

import attendo
from attendo.server.access import Access, digest_of
from tests.server.client_requests import KEY, REQUESTS
from tests.server.live_server import live

LONG_KEY = "a-key-of-some-length"


@pytest.fixture(scope="module")
def server():
    with live(attendo.load(threads=1)) as one:
        yield one


@pytest.fixture(scope="module")
def locked():
    """The same with keys: the one of the table, and a longer one."""
    keys = frozenset({digest_of(KEY), digest_of(LONG_KEY)})
    with live(attendo.load(threads=1), access=Access(keys=keys)) as one:
        yield one


# Placeholders, tags and names with which clients put a text together again.
STAYS = re.compile(r"\{\d+\}|<[^<>]+>|@\w+")


def strings(value):
    """All that stand in an answer."""
    if isinstance(value, str):
        return [value]
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for one in inner for text in strings(one)]


def translations(table, reads):
    """What the client shows; hcfy and Google say the source beside it."""
    shown = ("translatedText", "data", "result", "trans", *([] if "result" in table else ["text"]))
    return [read(table, path) for path, kind in reads if kind is str and any(key in shown for key in path)]


def read(table, path):
    for key in path:
        table = table[key]
    return table


@pytest.mark.parametrize("request_", REQUESTS, ids=str)
def test_every_client_is_understood(server, request_):
    """Method, path, headers, content type and body as the client sends them; every field that it reads is there."""
    reply = server.ask(request_.method, request_.path, request_.body or None, dict(request_.headers))
    assert reply.status == (403 if request_.path == "/suggest" else 200), reply.body
    for path, kind in request_.reads:
        found = read(reply.json, path)
        assert found is None if kind is None else isinstance(found, kind), (path, found)
        assert not isinstance(found, str) or found.strip(), path
    told = "\n".join(strings(reply.json))
    for text in request_.job.get("texts", ()):
        assert all(part in told for part in STAYS.findall(text)), told
        assert text not in translations(reply.json, request_.reads), "the source, and no translation"
    if request_.dialect == "deeplx":  # SubtitleEdit takes the first of these before anything else
        assert reply.json["alternatives"] == []
    if "origin" in request_.headers:
        assert reply.headers["access-control-allow-origin"] == request_.headers["origin"]


@pytest.mark.parametrize("request_", [one for one in REQUESTS if one.dialect], ids=str)
def test_every_client_shows_its_key_where_it_is_looked_for(locked, request_):
    """Those that send one are served, the others refused, each in its own words."""
    reply = locked.ask(request_.method, request_.path, request_.body or None, dict(request_.headers))
    sends = KEY in request_.path.partition("=")[2] or any(
        value.split()[-1:] == [KEY] for name, value in request_.headers.items() if name == "authorization"
    )
    sends = sends or any(
        part.encode() in request_.body for part in (f'"api_key": "{KEY}"', f"api_key={KEY}", 'name="api_key"')
    )
    assert reply.status == 200 if sends else reply.status in (401, 403), (reply.status, reply.body)


def test_libretranslatepy(server, locked):
    client = LibreTranslateAPI(server.address)
    assert client.translate("Guten Morgen!", "de", "en") == "Good morning!"
    assert client.translate("我爱机器学习。", "auto", "en") == "I love machine learning."
    assert {"code": "de", "name": "German"}.items() <= {one["code"]: one for one in client.languages()}["de"].items()
    assert client.detect("Wo ist der Bahnhof?")[0]["language"] == "de"
    with_key = LibreTranslateAPI(locked.address, api_key=LONG_KEY)
    assert with_key.translate("Guten Morgen!", "de", "en") == "Good morning!"


def test_deepl_python(server, locked):
    client = deepl.DeepLClient(LONG_KEY, server_url=locked.address)
    answers = client.translate_text(["Guten Morgen!", "我爱机器学习。"], target_lang="EN-US")
    assert [answer.text for answer in answers] == ["Good morning!", "I love machine learning."]
    assert [answer.detected_source_lang for answer in answers] == ["DE", "ZH"]
    assert {language.code for language in client.get_source_languages()} >= {"DE", "EN", "ZH"}
    assert {language.code for language in client.get_target_languages()} >= {"DE", "EN-US", "ZH"}
    assert not client.get_usage().any_limit_reached
    html = client.translate_text("<p>Das <b>Haus</b> ist alt.</p>", target_lang="EN-US", tag_handling="html")
    assert html.text == "<p>The <b>house</b> is old.</p>"
    wrong = deepl.DeepLClient("another key", server_url=locked.address)
    with pytest.raises(deepl.AuthorizationException):
        wrong.translate_text("Guten Morgen!", target_lang="EN-US")


def test_the_answers_are_those_of_the_translator(server):
    text = "我爱机器学习。今天天气很好。"
    alone = attendo.load(threads=1).translate(text, to="en")
    answer = server.translate(text).json["translations"][0]
    assert answer["text"] == alone.text
    assert answer["score"] == pytest.approx(alone.score, abs=1e-3)
    assert answer["ledger"] == alone.ledger.to_dict()
    assert [answer["text"][word["start"] : word["end"]] for word in answer["words"]] == [
        word["text"] for word in answer["words"]
    ]
    assert any(word["text"] == "machine" and word["logp"] > -2 for word in answer["words"])
    machine = next(one for one in answer["alignment"] if answer["text"][slice(*one["target"])] == "machine")
    assert text[machine["source"][0][0] : machine["source"][0][1]] == "机器"


def test_a_text_sentence_by_sentence(server):
    reply = server.ask("POST", "/api/translate/stream", {"text": "你好吗？我很好。今天天气很好。", "to": "en"})
    assert reply.headers["content-type"].startswith("text/event-stream")
    events = [
        dict(line.split(": ", 1) for line in part.split("\n")) for part in reply.body.decode().strip().split("\n\n")
    ]
    assert [one["event"] for one in events] == ["sentence"] * 3 + ["end"]
    joined = "".join(json.loads(one["data"])["text"] for one in events[:-1])
    assert joined == json.loads(events[-1]["data"])["text"]
    assert json.loads(events[-1]["data"])["clean"]


def test_terms_and_what_stays(server):
    answer = server.translate("Der Bahnhof in Kleinkleckersdorf ist neu.", glossary={"Bahnhof": "central station"})
    assert "central station" in answer.json["translations"][0]["text"]
    kept = server.translate("Frau Schmetterling wohnt hier.", keep=["Schmetterling"])
    assert "Schmetterling" in kept.json["translations"][0]["text"]


def test_the_language_of_each_text_of_a_list(server):
    body = {"q": ["你好吗？", "Wo ist der Bahnhof?"], "source": "auto", "target": "en"}
    answer = server.ask("POST", "/translate", body).json
    assert [one["language"] for one in answer["detectedLanguage"]] == ["zh-Hans", "de"]


@pytest.mark.parametrize("text", ["我爱机器学习。", "機器學習很有意思。", "Wo ist der Bahnhof?", "Hello"])
def test_a_language_is_called_the_same_wherever_it_is_told(server, text):
    """And as /languages calls it: clients compare them."""
    found = server.ask("POST", "/detect", {"q": text}).json
    body = {"q": text, "source": "auto", "target": "de" if text == "Hello" else "en"}
    assert server.ask("POST", "/translate", body).json["detectedLanguage"] == found[0]
    assert {one["language"] for one in found} <= {one["code"] for one in server.ask("GET", "/languages").json}
    assert [one["language"] for one in found].count("zh") == 0


def test_traditional_chinese_is_written_and_said_so(server):
    answer = server.translate("machine learning", to="zh-TW").json["translations"][0]
    assert answer["to"] == "zh-TW"
    assert "機器" in answer["text"]


@pytest.mark.parametrize(
    ("body", "part"),
    [
        ({"text": "hello", "to": "fr"}, "fr is not supported"),
        ({"text": "hello", "to": "de", "from": "zh"}, "zh to de is not supported"),
        ({"text": "hello"}, "to"),
        ({"text": 5, "to": "de"}, "text"),
        ({"text": "hello", "to": "de", "beam": 1_000_000}, "beam"),
        ({"text": "hello", "to": "de", "alternatives": 1_000_000}, "alternatives"),
        ({"text": "hello", "to": "de", "glossary": {"a": 5}}, "glossary"),
    ],
)
def test_what_is_wrong_is_said(server, body, part):
    reply = server.ask("POST", "/api/translate", body)
    assert reply.status == 400
    assert part in reply.json["error"]


@pytest.mark.parametrize(
    ("body", "text", "language"),
    [
        ({"q": "Hello, how are you?", "source": "auto", "target": "en"}, "Hello, how are you?", "en"),
        ({"q": "Hello", "source": "en", "target": "en"}, "Hello", None),
        ({"q": "机器学习很有趣。", "source": "auto", "target": "zh-TW"}, "機器學習很有趣。", "zh-Hans"),
    ],
)
def test_what_is_in_the_target_language_already_stays(server, body, text, language):
    answer = server.ask("POST", "/translate", body).json
    assert answer["translatedText"] == text
    assert answer.get("detectedLanguage", {}).get("language") == language


def test_an_empty_text_in_a_stream(server):
    reply = server.ask("POST", "/api/translate/stream", {"text": "", "to": "en"})
    assert reply.status == 200
    assert reply.body.decode().strip().split("\n")[-2] == "event: end"


def test_a_body_may_be_in_the_query(server):
    assert (
        server.ask("POST", "/translate?q=Guten%20Morgen!&source=de&target=en").json["translatedText"] == "Good morning!"
    )


def test_heads_and_slashes(server):
    for path in ("/live", "/", "/languages"):
        assert server.ask("HEAD", path).status == 200
    assert server.ask("GET", "//languages/").status == 200


def test_the_languages_decide_which_model_translates(echo):
    """Two models, of which the first knows no German: what both can do is the first's."""
    with live(echo, attendo.load(threads=1)) as both:
        answers = [both.translate(text).json["translations"][0] for text in ("你好吗？", "Wo ist der Bahnhof?")]
        assert [answer["model"] for answer in answers] == ["model-1", "model-2"]
        assert answers[1]["text"] == "Where is the station?"
        mixed = both.ask("POST", "/api/translate", {"text": ["Wo ist der Bahnhof?", "你好吗？"], "to": "en"}).json
        assert [answer["model"] for answer in mixed["translations"]] == ["model-2", "model-1"]
        directions = [model["directions"] for model in both.ask("GET", "/api/info").json["models"]]
        assert "de-en" in directions[1]
        assert "de-en" not in directions[0]


GERMAN = "Guten Morgen, wie geht es dir? Ich habe das Buch gelesen."


def test_what_is_plainly_in_a_language_without_a_direction_is_refused(server):
    """As if the client had said so, and not translated as something else."""
    said, told = (
        server.ask("POST", "/translate", {"q": GERMAN, "source": source, "target": "zh"}) for source in ("de", "auto")
    )
    assert (told.status, told.json) == (said.status, said.json)
    assert said.status == 400
    assert server.ask("POST", "/translate", {"q": "Hallo", "source": "auto", "target": "zh"}).status == 200  # who knows


def test_in_a_list_such_a_text_stays_and_the_others_are_translated(server):
    body = {"q": [GERMAN, "Where is the station?"], "source": "auto", "target": "zh"}
    found = server.ask("POST", "/translate", body).json
    assert found["translatedText"][0] == GERMAN
    assert "站" in found["translatedText"][1]
    assert [one["language"] for one in found["detectedLanguage"]] == ["de", "en"]
    own = server.ask("POST", "/api/translate", {"text": body["q"], "to": "zh"}).json["translations"][0]
    assert own["ledger"]["foreign"] == 1
    assert own["remarks"] == ["de to zh is not supported: left as it is"]


def test_a_second_target_is_for_what_cannot_become_the_first(server):
    body = {"name": "attendo", "text": "你今天好吗？", "destination": ["德语", "英语"], "source": ""}
    found = server.ask("POST", "/hcfy", body).json
    assert (found["from"], found["to"]) == ("中文(简体)", "英语")


def test_a_long_text_in_the_target_language_is_no_error(server):
    text = "The weather is fine today, and we went to the park with all of our friends. " * 5
    assert server.ask("POST", "/translate", {"q": text, "source": "auto", "target": "en"}).status == 200
