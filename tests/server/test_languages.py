"""One resolver for all names of a language, each dialect's own names in return, and telling a text's language."""

import json
import time
from importlib.util import find_spec

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attendo.server import languages
from attendo.server.detection import detect
from attendo.server.job import RequestError
from attendo.server.language_names import NAMES, OTHER_NAMES, names_of
from attendo.server.languages import (
    deepl_code,
    deepl_languages,
    google_code,
    hcfy_name,
    libretranslate_code,
    libretranslate_languages,
    resolve,
)
from attendo.text.scripts import identifier
from tests.translation.real_pairs import pairs

SHIPPED = [("zh", "en"), ("en", "zh"), ("de", "en"), ("en", "de")]
READ = ["zh", "en", "de"]

RESOLVED = {
    "zh": [
        "zh", "ZH", "zh-CN", "zh_CN", "zh-Hans", "ZH-HANS", "zh_Hans", "zh-Hans-CN", "zh-SG", "chs", "cmn", "Chinese",
        "simplified chinese", "Simplified Chinese", "Chinese (Simplified)", "中文", "中文(简体)", "中文（简体）",
        "简体中文", "汉语",
    ],
    "zh-Hant": ["zt", "zh-Hant", "ZH-HANT", "zh_hant", "繁體中文", "繁体中文", "中文(繁体)", "traditional chinese"],
    "zh-TW": ["zh-TW", "zh_TW", "zh-tw", "zh-Hant-TW", "Chinese (Taiwan)"],
    "zh-HK": ["zh-HK", "zh_Hant_HK"],
    "en": ["en", "EN", "en-US", "EN-US", "EN-GB", "en_gb", "English", "english", " English ", "英语", "英文", "英語"],
    "de": ["de", "DE", "de-DE", "de_AT", "German", "Deutsch", "德语", "德文", "德語"],
    "he": ["he", "iw", "Hebrew"],
    "ja": ["ja", "JA", "Japanese", "日语", "日本語", "日文"],
    "nb": ["nb", "NB"],
    "pt-BR": ["pt-br", "PT-BR", "Portuguese (Brazilian)"],
    "sr-Latn": ["sr-latn", "sr_Latn_RS"],
    "tok": ["tok"],  # of a model of somebody's own
    None: [None, "", "auto", "AUTO", "auto-detect", "Auto Detect", "自动检测", "自動檢測"],
}  # fmt: skip


@pytest.mark.parametrize(("name", "code"), [(name, code) for code, names in RESOLVED.items() for name in names])
def test_a_name_becomes_a_code(name, code):
    assert resolve(name) == code


@pytest.mark.parametrize(
    "name", ["klingon empire", "e", "zh--", "德意志话", "en/../x", "x" * 10_000, "ﷺ" * 60, "\x00en", "en;de"]
)
def test_what_is_no_language_is_said_so(name):
    with pytest.raises(RequestError) as refused:
        resolve(name)
    assert refused.value.kind == "language"
    assert "is not supported: expected a code such as" in refused.value.text
    assert len(refused.value.text) < 250


@settings(max_examples=300, deadline=None)
@given(st.text(st.characters(codec=None), max_size=30))
def test_any_text_is_a_language_or_an_error(name):
    try:
        code = resolve(name)
    except RequestError as error:
        json.dumps(error.text).encode()
        return
    assert resolve(code) == code


def test_every_name_leads_back_to_its_language():
    for code, names in NAMES.items():
        assert [resolve(name) for name in (code, *names)] == [code] * 4
    for code, others in OTHER_NAMES.items():
        assert {resolve(name) for name in others} == {code}


@pytest.mark.parametrize("code", NAMES)
@pytest.mark.parametrize("name_in", [libretranslate_code, deepl_code, google_code, hcfy_name])
def test_what_a_dialect_is_told_it_can_say_itself(code, name_in):
    assert resolve(name_in(code)) in (code, "zh-TW" if code == "zh-Hant" else code)


def test_chinese_is_named_as_each_caller_names_it():
    assert [libretranslate_code("zh"), deepl_code("zh"), google_code("zh")] == ["zh-Hans", "ZH", "zh-CN"]
    assert [libretranslate_code("zh-TW"), deepl_code("zh-TW"), google_code("zh-Hant")] == [
        "zh-Hant",
        "ZH-HANT",
        "zh-TW",
    ]
    assert [hcfy_name("zh"), hcfy_name("zh-Hant"), hcfy_name("zh-HK"), hcfy_name("de")] == [
        "中文(简体)", "中文(繁体)", "中文(繁体)", "德语",
    ]  # fmt: skip
    assert names_of("de-AT").own == "Deutsch"
    assert names_of("tok").english == "tok"


def test_languages_of_libretranslate():
    listed = libretranslate_languages(SHIPPED, traditional=True)
    assert listed[0] == {"code": "zh-Hans", "name": "Chinese", "targets": ["en"]}
    targets = {language["code"]: language["targets"] for language in listed}
    assert targets == {
        "zh-Hans": ["en"], "zh-Hant": ["en"], "zh": ["en"], "de": ["en"], "en": ["de", "zh", "zh-Hans", "zh-Hant"],
    }  # fmt: skip
    assert len({language["name"] for language in listed}) == len(listed)


def test_weblate_and_mastodon_find_chinese():
    """Both look for zh: Weblate for zh_Hans, Mastodon for the first part of the reader's locale."""
    codes = {language["code"]: language["targets"] for language in libretranslate_languages(SHIPPED, traditional=False)}
    assert "zh" in codes
    assert "zh" in codes["en"]
    assert "zh-Hant" not in codes


def test_a_language_that_is_only_written_is_listed_without_targets():
    listed = libretranslate_languages([("de", "en")])
    assert listed == [
        {"code": "en", "name": "English", "targets": []},
        {"code": "de", "name": "German", "targets": ["en"]},
    ]


def test_languages_of_deepl():
    assert deepl_languages(SHIPPED, "source", traditional=True) == [
        {"language": "DE", "name": "German", "supports_formality": False},
        {"language": "EN", "name": "English", "supports_formality": False},
        {"language": "ZH", "name": "Chinese", "supports_formality": False},
    ]
    found = [language["language"] for language in deepl_languages(SHIPPED, "target", traditional=True)]
    assert found == ["DE", "EN-GB", "EN-US", "ZH", "ZH-HANS", "ZH-HANT"]
    found = [language["language"] for language in deepl_languages(SHIPPED, "target", traditional=False)]
    assert found == ["DE", "EN-GB", "EN-US", "ZH", "ZH-HANS"]


def test_traditional_is_offered_where_opencc_is():
    assert languages.writes_traditional() is (find_spec("opencc") is not None)


@pytest.mark.parametrize(
    ("text", "code", "least"),
    [
        ("我爱机器学习。", "zh", 0.9), ("機器學習很有意思", "zh-Hant", 0.9), ("好", "zh", 0.9),
        ("请点击 Settings 按钮", "zh", 0.9),
        ("Guten Morgen, wie geht es dir?", "de", 0.95), ("The house is old and small.", "en", 0.95),
        ("Hello", "en", 0.9), ("Der Hund", "de", 0.9), ("machine learning", "en", 0.5),
    ],
)  # fmt: skip
def test_a_text_tells_its_language(text, code, least):
    (first, confidence), *rest = detect(text, READ)
    assert (first, confidence >= least) == (code, True)
    assert all(0 <= one <= confidence for _, one in rest)


@pytest.mark.parametrize("text", ["Привет, мир, как дела?", "これは日本語の文です。", "123 + 456", "", "🙂",
                                  "Bonjour le monde, je suis très content"])  # fmt: skip
def test_a_text_in_another_language_or_in_none_has_no_confidence(text):
    found = detect(text, READ)
    assert {code for code, _ in found} == set(READ)
    assert max(confidence for _, confidence in found) <= 0.1


def test_japanese_and_chinese():
    assert detect("これは日本語の文です。", ["zh", "ja"])[0] == ("ja", 0.99)
    assert detect("东京大学", ["ja", "zh"])[0] == ("zh", 0.9)


@settings(max_examples=200, deadline=None)
@given(
    st.text(max_size=50),
    st.lists(st.sampled_from(["zh", "en", "de", "fr", "ja", "ru", "uk", "tok", "pt-BR"]), unique=True),
)
def test_confidences_are_shares(text, read):
    found = detect(text, read)
    assert len(found) == len(read)
    assert all(0 <= confidence <= 1 for _, confidence in found)
    assert sum(confidence for _, confidence in found) <= 1.01
    assert [one for _, one in found] == sorted((one for _, one in found), reverse=True)


def test_a_confidence_is_the_share_that_is_right():
    """Of the first words of lines that people wrote: those that are told with 0.9 and more are right that often."""
    told = [
        (language, *detect(" ".join(text.split()[:length]), READ)[0])
        for language, _, text, _ in pairs("de-en/pud.test.tsv")[::5]
        for length in (1, 2, 3, 5, 8)
    ]
    sure = [language == code for language, code, confidence in told if confidence >= 0.9]
    unsure = [language == code for language, code, confidence in told if 0 < confidence < 0.9]
    assert len(sure) > 1_000
    assert sum(sure) / len(sure) > 0.96
    assert 0.4 < sum(unsure) / len(unsure) < 0.9


def test_without_py3langid(monkeypatch):
    def missing():
        raise ModuleNotFoundError("py3langid")

    monkeypatch.setattr("attendo.server.detection.identifier", missing)
    assert detect("The house is old and small.", READ)[0] == ("en", 0.99)
    assert detect("Berlin", READ)[0] == ("en", 0.25)


def test_telling_is_cheap():
    """Half a millisecond or less; ten times that would be felt, and only that fails, as the machine may be busy."""
    identifier()
    for text in ("The house is old and small. " * 80, "我爱机器学习，" * 300, "機器學習，" * 400, "Xqz Wvu " * 250):
        detect(text, READ)
        start = time.perf_counter()
        for _ in range(20):
            detect(text[:2_000], READ)
        assert (time.perf_counter() - start) / 20 < 0.005
