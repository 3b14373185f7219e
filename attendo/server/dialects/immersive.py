"""Immersive Translate's "Custom API".

    {"source_lang": "auto", "target_lang": "zh-CN", "text_list": ["Hello {0} world"]}
    {"translations": [{"detected_source_lang": "en", "text": "你好 {0} 世界"}]}

The texts are plain ones, with & and < as they are: {0} and <b0></b0> come back as all placeholders do. Where tags have
words between them, <b0>Read</b0> the manual, they are markup, and go to the words that these become.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from attendo.server.dialects import reading
from attendo.server.dialects.statuses import STATUSES
from attendo.server.job import Answer, Job, RequestError
from attendo.server.languages import google_code

NAME = "immersive"
PAIR = re.compile(r"<(b\d{1,6})>[^<\w]*+\w[^<]*+</\1>")  # around a word


def read(body: Mapping[str, Any], *, list_route: bool = False) -> Job:
    body = reading.an_object(body)
    texts = reading.text_list(body, "text_list")
    return Job(
        texts=texts,
        # Of markup an & is the beginning of a name, and would be written as one.
        markup="html" if any(map(PAIR.search, texts)) and not any("&" in text for text in texts) else "text",
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
