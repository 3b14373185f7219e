"""DeepL's API, version 2: the `deepl` library, Weblate, SubtitleEdit and KISS with an address of our own.

    {"text": ["Hallo"], "target_lang": "EN-US", "tag_handling": "xml", "ignore_tags": ["x"]}
    {"translations": [{"detected_source_language": "DE", "text": "Hello", "billed_characters": 5}]}

Read and not followed: `formality`, as the models know none.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from attendo.files.tables import short_repr
from attendo.server.dialects import reading
from attendo.server.dialects.statuses import STATUSES
from attendo.server.job import Answer, Job, RequestError, RequestErrorKind
from attendo.server.languages import deepl_code

NAME = "deepl"
# The numbers that its clients know: a library tries again after 503.
OWN_STATUSES: Mapping[RequestErrorKind, int] = {"key": 403, "late": 503}


def read(body: Mapping[str, Any], *, list_route: bool = False) -> Job:
    body = reading.an_object(body)
    check_glossary(body)
    reading.flag(body, "show_billed_characters")  # the library cannot do without them: they are always shown
    texts, single = reading.texts(body, "text")
    return Job(
        texts=texts,
        single=single,
        source=reading.source(body, "source_lang"),
        targets=(reading.target(body, "target_lang"),),
        markup=reading.markup(body, "tag_handling", "html", "xml"),
        one_sentence=is_one_sentence(body),
        ignored_tags=reading.tags(body, "ignore_tags"),
        splitting_tags=reading.tags(body, "splitting_tags"),
        inline_tags=reading.tags(body, "non_splitting_tags"),
        outline=reading.flag(body, "outline_detection") is not False,
    )


def is_one_sentence(body: Mapping[str, Any]) -> bool:
    """`split_sentences`: 0 for not at all, 1 or "nonewlines" for where sentences end."""
    value = body.get("split_sentences")
    if isinstance(value, str) and value.lower() in ("nonewlines", "default"):
        return False
    return reading.flag(body, "split_sentences") is False


def check_glossary(body: Mapping[str, Any]) -> None:
    for key in ("glossary_id", "glossary_ids"):
        if value := body.get(key):
            raise RequestError("bad-request", f"{key} is {short_repr(value)}: this server keeps no glossaries")


def write(job: Job, answers: Sequence[Answer]) -> Any:
    return {
        "translations": [
            {
                "detected_source_language": deepl_code(answer.source),
                "text": answer.text,
                "billed_characters": len(text),
            }
            for text, answer in zip(job.texts, answers, strict=True)
        ]
    }


def refuse(error: RequestError) -> tuple[int, Any]:
    return OWN_STATUSES.get(error.kind, STATUSES[error.kind]), {"message": error.text}
