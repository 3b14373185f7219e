"""DeepLX: Immersive Translate, pot, LunaTranslator, Zotero, SubtitleEdit, PDFMathTranslate, bilingual_book_maker.

    {"text": "Hallo", "source_lang": "auto", "target_lang": "EN"}
    {"code": 200, "id": 1, "data": "Hello", "alternatives": [], "source_lang": "DE", "target_lang": "EN", …}

SubtitleEdit takes the first of the alternatives rather than the translation: there are none unless they are asked for.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from attendo.server.dialects import reading
from attendo.server.dialects.statuses import STATUSES
from attendo.server.job import Answer, Job, RequestError
from attendo.server.languages import deepl_code

NAME = "deeplx"


def read(body: Mapping[str, Any], *, list_route: bool = False) -> Job:
    body = reading.an_object(body)
    texts, _ = reading.texts(body, "text")
    return Job(
        texts=("\n".join(texts),),  # one answer has one translation
        source=reading.source(body, "source_lang"),
        targets=(reading.target(body, "target_lang"),),
        markup=reading.markup(body, "tag_handling", "html", "xml"),
        alternatives=reading.alternatives(body),
    )


def write(job: Job, answers: Sequence[Answer]) -> Any:
    answer = answers[0]
    return {
        "code": 200,
        "id": 1,  # a number that nobody reads
        "data": answer.text,
        "alternatives": list(answer.alternatives) if job.alternatives else [],
        "source_lang": deepl_code(answer.source),
        "target_lang": deepl_code(answer.target),
        "method": "Free",
    }


def refuse(error: RequestError) -> tuple[int, Any]:
    status = STATUSES[error.kind]
    return status, {"code": status, "message": error.text}
