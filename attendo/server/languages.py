"""One resolver of languages, whatever a client calls them; and how each dialect calls them in return.

    ZH, zh-CN, zh_Hans, simplified chinese, 中文(简体)     zh
    zt, zh-TW, ZH-HANT, 繁體中文                           zh-Hant, and zh-TW where that was said
    EN-US, en_GB, English, 英语                            en
    auto, "", 自动检测                                     None: the text tells

Models name Chinese zh. LibreTranslate says zh-Hans and DeepL ZH, Google zh-CN and hcfy 中文(简体): a client compares
what it is told with its own list, so each is answered in its own words.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from importlib.util import find_spec
from typing import Any, Literal

from attendo.files.tables import short_repr
from attendo.server.job import RequestError
from attendo.server.language_names import NAMES, OTHER_NAMES, names_of
from attendo.text.scripts import base_language, traditional_form, writes_simplified

LONGEST = 60  # characters of a name
AUTO = frozenset(
    ["", "auto", "auto-detect", "auto detect", "autodetect", "detect", "detect language",
     "自动", "自动检测", "自動檢測", "自動偵測"]
)  # fmt: skip
CODE = re.compile(r"[a-z]{2,3}(-[a-z0-9]{2,8}){0,3}")
# Codes of yesterday, and of other services.
OTHER_CODES = {
    "iw": "he", "in": "id", "ji": "yi", "jw": "jv", "fil": "tl", "pb": "pt-br", "cmn": "zh", "chs": "zh",
    "zt": "zh-hant", "cht": "zh-hant",
}  # fmt: skip
REGIONS_THAT_COUNT = frozenset(["pt"])  # a text in pt-BR is no good one in pt-PT; en-US and en-GB are one model's
TRADITIONAL_REGIONS = ("tw", "hk", "mo")
Directions = Iterable[tuple[str, str]]  # source and target, as models name them


def is_auto(name: str) -> bool:
    return len(name) <= LONGEST and plain(name) in AUTO


@lru_cache(maxsize=1_000)
def resolve(name: str | None) -> str | None:
    """The language in BCP 47, as `attendo translate --to` takes it; None where the text is to tell."""
    if name is None or is_auto(name):
        return None
    if len(name) <= LONGEST:
        written = plain(name)
        if written in codes_by_name():
            return codes_by_name()[written]
        if CODE.fullmatch(code := written.replace("_", "-")):
            return canonical(code)
    expected = "a code such as zh, de or zh-Hant, or a name in English or Chinese"
    raise RequestError("language", f"the language {short_repr(name)} is not supported: expected {expected}")


def plain(name: str) -> str:
    """Without case, full-width brackets and needless spaces."""
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())


def canonical(code: str) -> str:
    """Of a code in small letters: zh for zh-hans-cn, zh-TW for zh-hant-tw, en for en-us, sr-Latn for sr-latn."""
    first, _, rest = code.partition("-")
    first, *parts = "-".join(filter(None, [OTHER_CODES.get(first, first), rest])).split("-")
    if first == "zh":
        return chinese(parts)
    kept = [part.title() for part in parts if len(part) == 4 and part.isalpha()]  # a script
    if first in REGIONS_THAT_COUNT:
        kept += [part.upper() for part in parts if len(part) == 2]
    return "-".join([first, *kept])


def chinese(parts: Sequence[str]) -> str:
    if "yue" in parts:
        return "yue"
    if "hans" in parts:
        return "zh"
    if regions := [part for part in parts if part in TRADITIONAL_REGIONS]:
        return f"zh-{regions[0].upper()}"
    return "zh-Hant" if "hant" in parts else "zh"


@cache
def codes_by_name() -> Mapping[str, str]:
    found: dict[str, str] = {}
    for code, name in NAMES.items():
        for one in (*name, *other_forms(name.chinese)):
            found.setdefault(plain(one), code)
    return found | {plain(one): code for code, names in OTHER_NAMES.items() for one in names}


def other_forms(chinese_name: str) -> list[str]:
    """德语 is also 德文 and 德語."""
    return [chinese_name[:-1] + last for last in "文語"] if chinese_name.endswith("语") else []


def is_traditional_chinese(code: str) -> bool:
    return traditional_form(code) is not None


def libretranslate_code(code: str) -> str:
    if writes_simplified(code) and base_language(code) == "zh":
        return "zh-Hans"
    return "zh-Hant" if is_traditional_chinese(code) else code


def deepl_code(code: str) -> str:
    return "ZH-HANT" if is_traditional_chinese(code) else code.upper()


def google_code(code: str) -> str:
    if writes_simplified(code) and base_language(code) == "zh":
        return "zh-CN"
    return "zh-TW" if is_traditional_chinese(code) else code


def hcfy_name(code: str) -> str:
    return names_of(code).chinese


@cache
def writes_traditional() -> bool:
    """Whether what a model says in simplified Chinese can be converted."""
    return find_spec("opencc") is not None


def libretranslate_languages(directions: Directions, *, traditional: bool | None = None) -> list[dict[str, Any]]:
    """What `/languages` answers. Chinese is there as zh-Hans and as zh: Weblate and Mastodon look for the latter."""
    traditional = writes_traditional() if traditional is None else traditional
    targets: dict[str, list[str]] = {}
    for source, target in directions:
        for code in libretranslate_codes(source, traditional):
            targets.setdefault(code, []).extend(libretranslate_codes(target, traditional))
    codes = dict.fromkeys([*targets, *(code for found in targets.values() for code in found)])
    listed = [
        {"code": code, "name": libretranslate_name(code), "targets": sorted(set(targets.get(code, [])))}
        for code in codes
    ]
    return sorted(listed, key=lambda language: language["name"])


def libretranslate_codes(code: str, traditional: bool) -> list[str]:
    if libretranslate_code(code) != "zh-Hans":
        return [code]
    return ["zh-Hans", "zh", *(["zh-Hant"] if traditional else [])]


def libretranslate_name(code: str) -> str:
    return "Chinese (zh)" if code == "zh" else "Chinese" if code == "zh-Hans" else names_of(code).english


def deepl_languages(
    directions: Directions, kind: Literal["source", "target"], *, traditional: bool | None = None
) -> list[dict[str, Any]]:
    """What `/v2/languages` answers. English has two names as a target: its library accepts no plain EN."""
    traditional = writes_traditional() if traditional is None else traditional
    if kind == "source":
        found = {deepl_code(base_language(source)): names_of(base_language(source)).english for source, _ in directions}
    else:
        found = {code: name for _, target in directions for code, name in deepl_targets(target, traditional).items()}
    return [{"language": code, "name": found[code], "supports_formality": False} for code in sorted(found)]


def deepl_targets(code: str, traditional: bool) -> dict[str, str]:
    if code == "en":
        return {"EN-GB": "English (British)", "EN-US": "English (American)"}
    if code == "pt":
        return {"PT-BR": names_of("pt-BR").english, "PT-PT": names_of("pt-PT").english}
    if code != "zh":
        return {deepl_code(code): names_of(code).english}
    simplified = {"ZH": "Chinese (simplified)", "ZH-HANS": "Chinese (simplified)"}
    return simplified | {"ZH-HANT": "Chinese (traditional)"} if traditional else simplified
