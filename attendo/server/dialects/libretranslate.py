"""LibreTranslate: Mastodon, Weblate, SubtitleEdit, Zotero, Dialect, Lingarr, Linguist and more.

    {"q": "Hallo", "source": "auto", "target": "en"}
    {"translatedText": "Hello", "detectedLanguage": {"confidence": 99.0, "language": "de"}}

A list of texts has lists for answers. Dialect (GNOME) knows errors by their words, one of them by the whole sentence.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from attendo.server.dialects import reading
from attendo.server.dialects.statuses import STATUSES
from attendo.server.job import Answer, Job, RequestError, RequestErrorKind
from attendo.server.languages import libretranslate_code

NAME = "libretranslate"
# What must stand in an error's sentence, of each kind that clients look for; one of them is enough.
WORDS: Mapping[RequestErrorKind, tuple[str, ...]] = {
    "language": ("is not supported",),
    "too-large": ("exceeds text limit", "exceeds character limit"),
}
WRONG_KEY = "Invalid API key"


def read(body: Mapping[str, Any], *, list_route: bool = False) -> Job:
    body = reading.an_object(body)
    texts, single = reading.texts(body, "q")
    return Job(
        texts=texts,
        single=single,
        source=reading.source(body, "source"),
        targets=(reading.target(body, "target"),),
        markup=reading.markup(body, "format", "text", "html"),
        alternatives=reading.alternatives(body),
    )


def write(job: Job, answers: Sequence[Answer]) -> Any:
    def shaped(values: list[Any]) -> Any:
        return values[0] if job.single else values

    written = {"translatedText": shaped([answer.text for answer in answers])}
    if job.source is None:
        written["detectedLanguage"] = shaped(
            [detection(answer.told or answer.source, answer.confidence) for answer in answers]
        )
    if job.alternatives:
        written["alternatives"] = shaped([list(answer.alternatives) for answer in answers])
    return written


def detection(language: str, confidence: float) -> dict[str, Any]:
    """What `/detect` answers, too: of a hundred, and by the name that `/languages` has."""
    return {"confidence": round(100 * confidence, 1), "language": libretranslate_code(language)}


def refuse(error: RequestError) -> tuple[int, Any]:
    status = 403 if error.kind == "key" else STATUSES[error.kind]
    return status, {"error": WRONG_KEY if error.kind == "key" else with_words(error)}


def with_words(error: RequestError) -> str:
    words = WORDS.get(error.kind, ())
    return error.text if not words or any(word in error.text for word in words) else f"{error.text} ({words[0]})"
