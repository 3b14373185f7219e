"""What clients send, as it goes over the wire, and what they read in the answer: one client after another.

A request is replayed in two ways: its body through a dialect (test_dialects.py), and the whole of it to a server. The
shapes are from the sources of the named programs as they were in 2026, not from live runs.
"""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import urlencode

KEY = "K"
JSON = {"content-type": "application/json"}
FORM = {"content-type": "application/x-www-form-urlencoded"}
BOUNDARY = "----attendoformboundary7MA4YWxk"
MULTIPART = {"content-type": f"multipart/form-data; boundary={BOUNDARY}"}
EXTENSION = {"origin": "chrome-extension://bpoadfkcbjbfhfodiogcnhhhpibjhbnh"}
NOTHING: Mapping[str, Any] = MappingProxyType({})
Path = tuple[str | int, ...]


class ClientRequest(NamedTuple):
    """One request of a client, and what it reads in the answer: a path into the JSON, and the type that is there."""

    client: str
    method: str
    path: str  # with its query
    headers: Mapping[str, str] = NOTHING
    body: bytes = b""
    reads: tuple[tuple[Path, type | None], ...] = ()  # None: null
    dialect: str = ""  # empty where it asks for no translation
    job: Mapping[str, Any] = NOTHING  # what the job must have; all else as a job has it without being told

    def __str__(self) -> str:
        return f"{self.client}: {self.method} {self.path.partition('?')[0]}"


def as_json(**values: Any) -> bytes:
    return json.dumps(values, ensure_ascii=False).encode()


def as_form(*pairs: tuple[str, str]) -> bytes:
    return urlencode(pairs).encode()


def as_multipart(**values: str) -> bytes:
    parts = [
        f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="{name}"\r\n\r\n{value}\r\n'
        for name, value in values.items()
    ]
    return "".join([*parts, f"--{BOUNDARY}--\r\n"]).encode()


LIBRETRANSLATE = [
    ClientRequest(
        "libretranslatepy 2.1.4", "POST", "/translate", FORM,
        as_form(("q", "Guten Morgen!"), ("source", "de"), ("target", "en"), ("api_key", KEY)),
        ((("translatedText",), str),), "libretranslate",
        {"texts": ("Guten Morgen!",), "source": "de", "targets": ("en",)},
    ),
    ClientRequest(
        "libretranslatepy 2.1.4", "POST", "/detect", FORM, as_form(("q", "Guten Morgen!"), ("api_key", KEY)),
        (((0, "language"), str), ((0, "confidence"), float)),
    ),
    # Its urllib sends a body with GET.
    ClientRequest(
        "libretranslatepy 2.1.4", "GET", "/languages", FORM, as_form(("api_key", KEY)),
        (((0, "code"), str), ((0, "name"), str)),
    ),
    ClientRequest(
        "Mastodon", "POST", "/translate", JSON,
        as_json(
            q=["<p>Guten Morgen, <span class=\"mention\" translate=\"no\">@anna</span>!</p>", "<p>Wie geht es?</p>"],
            source="auto", target="en", format="html", api_key=None,
        ),
        ((("translatedText", 0), str), (("translatedText", 1), str), (("detectedLanguage", 0, "language"), str),
         (("detectedLanguage", 1, "language"), str)),
        "libretranslate",
        {
            "texts": ("<p>Guten Morgen, <span class=\"mention\" translate=\"no\">@anna</span>!</p>",
                      "<p>Wie geht es?</p>"),
            "source": None, "targets": ("en",), "markup": "html", "single": False,
        },
    ),
    ClientRequest(
        "Mastodon, language known", "POST", "/translate", JSON,
        as_json(q=["<p>Guten Morgen!</p>"], source="de", target="en", format="html", api_key=None),
        ((("translatedText", 0), str),), "libretranslate",
        {"texts": ("<p>Guten Morgen!</p>",), "source": "de", "targets": ("en",), "markup": "html", "single": False},
    ),
    ClientRequest("Mastodon", "GET", "/languages", {}, b"", (((0, "code"), str), ((0, "targets"), list))),
    ClientRequest(
        "Weblate", "POST", "/translate", JSON,
        as_json(api_key=KEY, q=["Good morning!", "Save the file"], source="en", target="zh"),
        ((("translatedText", 0), str), (("translatedText", 1), str)), "libretranslate",
        {"texts": ("Good morning!", "Save the file"), "source": "en", "targets": ("zh",), "single": False},
    ),
    ClientRequest("Weblate", "GET", "/languages", {}, b"", (((0, "code"), str),)),
    ClientRequest(
        "SubtitleEdit", "POST", "/translate", JSON,
        as_json(q="Good morning!<br />How are you?", source="en", target="zh", api_key=KEY),
        ((("translatedText",), str),), "libretranslate",
        {"texts": ("Good morning!<br />How are you?",), "source": "en", "targets": ("zh",)},
    ),
    ClientRequest(
        "Zotero", "POST", "/translate", JSON,
        as_json(q="Attention is all you need.", source="en", target="zh", format="text", api_key=KEY),
        ((("translatedText",), str),), "libretranslate",
        {"texts": ("Attention is all you need.",), "source": "en", "targets": ("zh",)},
    ),
    ClientRequest("Dialect", "GET", "/spec", {}, b"", ((("info", "title"), str),)),
    ClientRequest("Dialect", "GET", "/languages", {}, b"", (((0, "code"), str), ((0, "name"), str))),
    ClientRequest(
        "Dialect", "GET", "/frontend/settings", {}, b"",
        ((("charLimit",), int), (("apiKeys",), bool), (("keyRequired",), bool), (("suggestions",), bool)),
    ),
    ClientRequest(
        "Dialect", "POST", "/detect", FORM, as_form(("q", "hello"), ("api_key", KEY)), (((0, "confidence"), float),)
    ),
    ClientRequest(
        "Dialect", "POST", "/translate", JSON, as_json(q="Good morning!", source="auto", target="de", api_key=KEY),
        ((("translatedText",), str), (("detectedLanguage", "language"), str)), "libretranslate",
        {"texts": ("Good morning!",), "source": None, "targets": ("de",)},
    ),
    # Refused, with 403: suggestions are for LibreTranslate's own project.
    ClientRequest(
        "Dialect", "POST", "/suggest", FORM,
        as_form(("q", "hello"), ("source", "en"), ("target", "de"), ("s", "hallo"), ("api_key", KEY)),
        ((("error",), str),),
    ),
    *(
        ClientRequest(
            client, "POST", "/translate", JSON, as_json(q="Good morning!", source="en", target="de", format="text"),
            ((("translatedText",), str),), "libretranslate",
            {"texts": ("Good morning!",), "source": "en", "targets": ("de",)},
        )
        for client in ("Lingarr", "i18n-ally", "SillyTavern", "Open WebUI", "RSSBox")
    ),
    ClientRequest(
        "Linguist", "POST", "/translate", MULTIPART,
        as_multipart(q="Guten Morgen, Jürgen!", source="de", target="en", api_key=KEY),
        ((("translatedText",), str),), "libretranslate",
        {"texts": ("Guten Morgen, Jürgen!",), "source": "de", "targets": ("en",)},
    ),
    ClientRequest(
        "curl, as LibreTranslate documents it", "POST", "/translate", JSON,
        as_json(q="Hello!", source="auto", target="de", format="text", alternatives=3, api_key=""),
        ((("translatedText",), str), (("alternatives",), list), (("detectedLanguage", "confidence"), float)),
        "libretranslate",
        {"texts": ("Hello!",), "source": None, "targets": ("de",), "alternatives": 3},
    ),
]  # fmt: skip

DEEPLX_READS = ((("code",), int), (("data",), str), (("alternatives",), list))
DEEPLX = [
    ClientRequest(
        "Immersive Translate, DeepLX", "POST", "/translate", JSON | EXTENSION,
        as_json(source_lang="auto", target_lang="ZH", text="Hello <b>world</b>", tag_handling="html"),
        DEEPLX_READS, "deeplx",
        {"texts": ("Hello <b>world</b>",), "source": None, "targets": ("ZH",), "markup": "html"},
    ),
    ClientRequest(
        "Immersive Translate, DeepLX, traditional", "POST", "/deeplx", JSON | EXTENSION,
        as_json(source_lang="EN", target_lang="ZH-HANT", text="Hello world"), DEEPLX_READS, "deeplx",
        {"texts": ("Hello world",), "source": "EN", "targets": ("ZH-HANT",)},
    ),
    *(
        ClientRequest(
            client, "POST", path, JSON, as_json(text="Good morning!", source_lang="EN", target_lang="ZH"),
            ((("data",), str),), "deeplx", {"texts": ("Good morning!",), "source": "EN", "targets": ("ZH",)},
        )
        for client, path in (
            ("pot-desktop, deeplx", "/translate"),
            ("LunaTranslator, DeepLX", "/translate"),
            ("Zotero, DeepLCustom", f"/translate?token={KEY}"),
            ("PDFMathTranslate, DEEPLX_ENDPOINT", f"/translate?token={KEY}"),
        )
    ),
    ClientRequest(
        "SubtitleEdit, DeepLX", "POST", "/translate", {"content-type": "text/plain; charset=utf-8"},
        as_json(text="Good morning!", source_lang="EN", target_lang="DE"),
        ((("alternatives",), list), (("data",), str)), "deeplx",
        {"texts": ("Good morning!",), "source": "EN", "targets": ("DE",)},
    ),
    ClientRequest(
        "bilingual_book_maker, --custom_api", "POST", "/translate", {},
        as_json(text="Call me Ishmael.", source_lang="auto", target_lang="simplified chinese"),
        ((("data",), str),), "deeplx",
        {"texts": ("Call me Ishmael.",), "source": None, "targets": ("simplified chinese",)},
    ),
]  # fmt: skip

MTRAN = [
    *(
        ClientRequest(
            client, "POST", "/translate", JSON | {"authorization": KEY},
            as_json(**{"text": "Good morning!", "from": "en", "to": "zh-Hans"}), ((("result",), str),), "mtran",
            {"texts": ("Good morning!",), "source": "en", "targets": ("zh-Hans",)},
        )
        for client in ("Zotero, MTranServer", "STranslate", "MTranCode")
    ),
    ClientRequest(
        "MTranServer, a list", "POST", "/translate/batch", JSON | {"authorization": KEY},
        as_json(**{"texts": ["Good morning!", "Good night!"], "from": "en", "to": "zh-Hans"}),
        ((("results", 0), str), (("results", 1), str)), "mtran",
        {"texts": ("Good morning!", "Good night!"), "source": "en", "targets": ("zh-Hans",), "single": False},
    ),
]  # fmt: skip

EXTENSIONS = [
    ClientRequest(
        "Immersive Translate, Custom API", "POST", f"/imme?token={KEY}", JSON | EXTENSION,
        as_json(source_lang="auto", target_lang="zh-CN", text_list=["Hello {0} world"]),
        ((("translations", 0, "text"), str), (("translations", 0, "detected_source_lang"), str)), "immersive",
        {"texts": ("Hello {0} world",), "source": None, "targets": ("zh-CN",), "single": False},
    ),
    ClientRequest(
        "KISS, Custom", "POST", "/kiss", JSON | EXTENSION | {"authorization": f"Bearer {KEY}"},
        as_json(**{"text": "hello", "from": "auto", "to": "zh-CN"}), ((("text",), str), (("src",), str)), "kiss",
        {"texts": ("hello",), "source": None, "targets": ("zh-CN",)},
    ),
    ClientRequest(
        "KISS, Custom, older", "POST", "/kiss", JSON | EXTENSION | {"authorization": "Bearer "},
        as_json(**{"text": "hello", "from": "", "to": "zh-CN"}), ((("text",), str), (("from",), str)), "kiss",
        {"texts": ("hello",), "source": None, "targets": ("zh-CN",)},
    ),
    ClientRequest(
        "KISS, Custom, gathered", "POST", "/kiss", JSON | EXTENSION | {"authorization": f"Bearer {KEY}"},
        as_json(**{"texts": ["hello", "world"], "from": "auto", "to": "zh-CN"}),
        ((("translations", 0, "text"), str), (("translations", 1, "src"), str)), "kiss",
        {"texts": ("hello", "world"), "source": None, "targets": ("zh-CN",), "single": False},
    ),
    ClientRequest(
        "划词翻译", "POST", "/hcfy", JSON | EXTENSION,
        as_json(name="attendo", text="你好，世界。", destination=["中文(简体)", "英语"], source=""),
        ((("text",), str), (("from",), str), (("to",), str), (("result", 0), str)), "hcfy",
        {"texts": ("你好，世界。",), "source": None, "targets": ("中文(简体)", "英语")},
    ),
    ClientRequest(
        "划词翻译, source known", "POST", "/hcfy", JSON | EXTENSION,
        as_json(name="attendo", text="Guten Morgen!", destination=["英语"], source="德语"),
        ((("text",), str), (("from",), str), (("to",), str), (("result", 0), str)), "hcfy",
        {"texts": ("Guten Morgen!",), "source": "德语", "targets": ("英语",)},
    ),
]  # fmt: skip

POT_PARTS = "dt=at&dt=bd&dt=ex&dt=ld&dt=md&dt=qca&dt=rw&dt=rm&dt=ss&dt=t"
GOOGLE = [
    ClientRequest(
        "KISS, Google", "GET",
        "/translate_a/single?client=gtx&dt=t&dj=1&ie=UTF-8&sl=auto&tl=zh-CN&q=Good%20morning%21",
        EXTENSION, b"", ((("sentences", 0, "trans"), str), (("src",), str)), "google",
        {"texts": ("Good morning!",), "source": None, "targets": ("zh-CN",), "form": "object"},
    ),
    *(
        ClientRequest(
            client, "GET", f"{path}?{POT_PARTS}&client=gtx&sl=auto&tl=zh-CN&hl=zh-CN&ie=UTF-8&oe=UTF-8&q=Good+morning",
            {}, b"", (((0, 0, 0), str), ((0, 0, 1), str), ((1,), None), ((2,), str)), "google",
            {"texts": ("Good morning",), "source": None, "targets": ("zh-CN",), "form": "array"},
        )
        for client, path in (
            ("pot-desktop, Google", "/translate_a/single"),
            ("pot-desktop, Google, as MTranServer's tutorial has it", "/google/translate_a/single"),
        )
    ),
    ClientRequest(
        "Google's v2, a form", "POST", "/google/language/translate/v2", FORM,
        as_form(("q", "Good morning!"), ("target", "de"), ("source", "en"), ("format", "text")),
        ((("data", "translations", 0, "translatedText"), str),), "google",
        {"texts": ("Good morning!",), "source": "en", "targets": ("de",), "form": "v2"},
    ),
    ClientRequest(
        "Google's v2, JSON", "POST", "/google/language/translate/v2", JSON,
        as_json(q=["Good morning!", "<b>Good</b> night!"], target="de"),
        ((("data", "translations", 1, "translatedText"), str),
         (("data", "translations", 1, "detectedSourceLanguage"), str)), "google",
        {"texts": ("Good morning!", "<b>Good</b> night!"), "source": None, "targets": ("de",), "markup": "html",
         "single": False, "form": "v2"},
    ),
]  # fmt: skip

DEEPL_KEY = {"authorization": f"DeepL-Auth-Key {KEY}"}
DEEPL_READS = ((("translations", 0, "text"), str), (("translations", 0, "detected_source_language"), str))
DEEPL = [
    ClientRequest(
        "deepl 1.32", "POST", "/v2/translate", JSON | DEEPL_KEY,
        as_json(target_lang="EN-US", text=["Guten Morgen!"], show_billed_characters=True),
        (*DEEPL_READS, (("translations", 0, "billed_characters"), int)), "deepl",
        {"texts": ("Guten Morgen!",), "source": None, "targets": ("EN-US",), "single": False},
    ),
    ClientRequest(
        "deepl 1.32, all options", "POST", "/v2/translate", JSON | DEEPL_KEY,
        as_json(
            target_lang="ZH", source_lang="EN", formality="prefer_more", text=["<a>One <x>2</x></a>", "Two"],
            show_billed_characters=True, context="numbers", split_sentences="0", preserve_formatting=True,
            tag_handling="xml", tag_handling_version="v2", outline_detection=False, model_type="latency_optimized",
            non_splitting_tags=["b", "i"], splitting_tags=["par"], ignore_tags=["x"],
        ),
        (*DEEPL_READS, (("translations", 1, "text"), str), (("translations", 1, "billed_characters"), int)), "deepl",
        {
            "texts": ("<a>One <x>2</x></a>", "Two"), "source": "EN", "targets": ("ZH",), "markup": "xml",
            "one_sentence": True, "ignored_tags": ("x",), "splitting_tags": ("par",), "inline_tags": ("b", "i"),
            "single": False, "outline": False,
        },
    ),
    ClientRequest(
        "Weblate, DeepL", "POST", "/v2/translate", JSON | DEEPL_KEY,
        as_json(
            text=['Hello <x id="6"></x>!'], source_lang="EN", target_lang="ZH-HANS", formality="default",
            tag_handling="xml", ignore_tags=["x"],
        ),
        ((("translations", 0, "text"), str),), "deepl",
        {"texts": ('Hello <x id="6"></x>!',), "source": "EN", "targets": ("ZH-HANS",), "markup": "xml",
         "ignored_tags": ("x",), "single": False},
    ),
    *(
        ClientRequest(
            "Weblate, DeepL", "GET", f"/v2/languages?type={kind}", DEEPL_KEY, b"",
            (((0, "language"), str), ((0, "supports_formality"), bool)),
        )
        for kind in ("source", "target")
    ),
    ClientRequest(
        "Weblate, DeepL", "GET", "/v2/glossary-language-pairs", DEEPL_KEY, b"", ((("supported_languages",), list),)
    ),
    ClientRequest("deepl 1.32", "GET", "/v2/usage", DEEPL_KEY, b"", ((("character_count",), int),)),
    ClientRequest(
        "SubtitleEdit, DeepL", "POST", "/v2/translate", FORM | DEEPL_KEY,
        as_form(("text", "Good morning!"), ("target_lang", "DE"), ("source_lang", "EN"), ("formality", "default")),
        ((("translations", 0, "text"), str),), "deepl",
        {"texts": ("Good morning!",), "source": "EN", "targets": ("DE",)},
    ),
    ClientRequest(
        "a form with `text` twice", "POST", "/v2/translate", FORM | DEEPL_KEY,
        as_form(("text", "One & two"), ("text", "Three"), ("target_lang", "DE"), ("ignore_tags", "x,y"),
                ("tag_handling", "html"), ("split_sentences", "nonewlines"), ("outline_detection", "0")),
        ((("translations", 0, "text"), str), (("translations", 1, "text"), str)), "deepl",
        {"texts": ("One & two", "Three"), "source": None, "targets": ("DE",), "markup": "html",
         "ignored_tags": ("x", "y"), "single": False, "outline": False},
    ),
    ClientRequest(
        "KISS, DeepL", "POST", "/v2/translate", JSON | EXTENSION | DEEPL_KEY,
        as_json(text=["Good morning!"], target_lang="ZH", source_lang="EN"), DEEPL_READS, "deepl",
        {"texts": ("Good morning!",), "source": "EN", "targets": ("ZH",), "single": False},
    ),
]  # fmt: skip

OWN = [
    ClientRequest(
        "our own", "POST", "/api/translate", JSON,
        as_json(**{"text": ["Der Bahnhof ist neu."], "to": "en", "from": None, "beam": 4, "alternatives": 2,
                   "glossary": {"Bahnhof": "central station"}, "keep": ["Tatoeba"]}),
        ((("translations", 0, "text"), str),), "own",
        {"texts": ("Der Bahnhof ist neu.",), "source": None, "targets": ("en",), "beam": 4, "alternatives": 2,
         "glossary": {"Bahnhof": "central station"}, "keep": ("Tatoeba",), "single": False},
    ),
]  # fmt: skip

REQUESTS = [*LIBRETRANSLATE, *DEEPLX, *MTRAN, *EXTENSIONS, *GOOGLE, *DEEPL, *OWN]


def at(answer: Any, path: Path) -> Any:
    """What stands there; a KeyError or an IndexError where nothing does."""
    for step in path:
        answer = answer[step]
    return answer


def check(request: ClientRequest, answer: Any) -> None:
    """Everything that the client reads is in the answer, and is what it takes it for."""
    for path, kind in request.reads:
        found = at(answer, path)
        right = found is None if kind is None else isinstance(found, (float, int) if kind is float else kind)
        assert right, (path, found)
        assert kind is bool or not isinstance(found, bool), (path, found)
