"""Immersive Translate's "Custom API".

    {"source_lang": "auto", "target_lang": "zh-CN", "text_list": ["Hello {0} world"]}
    {"translations": [{"detected_source_lang": "en", "text": "你好 {0} 世界"}]}

What it marks by {0} or <b0></b0> comes back as all placeholders do: the texts are plain ones, with & and < as they are.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from attendo.server.dialects import reading
from attendo.server.dialects.statuses import STATUSES
from attendo.server.job import Answer, Job, RequestError
from attendo.server.languages import google_code

NAME = "immersive"


def read(body: Mapping[str, Any], *, list_route: bool = False) -> Job:
    body = reading.an_object(body)
    return Job(
        texts=reading.text_list(body, "text_list"),
        single=False,
        source=reading.source(body, "source_lang"),
        targets=(reading.target(body, "target_lang"),),
    )


def write(job: Job, answers: Sequence[Answer]) -> Any:
    return {
        "translations": [
            {"detected_source_lang": google_code(answer.source), "text": answer.text} for answer in answers
        ]
    }


def refuse(error: RequestError) -> tuple[int, Any]:
    return STATUSES[error.kind], {"error": error.text}
