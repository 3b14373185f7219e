"""KISS Translator's "Custom" interface: one text, or a list of them where it gathers.

    {"text": "hello", "from": "auto", "to": "zh-CN"}      {"text": "你好", "src": "en", "from": "en"}
    {"texts": ["hello"], "from": "auto", "to": "zh-CN"}   {"translations": [{"text": "你好", "src": "en"}]}

Of a list it also reads a bare [{"text", "src"}]; one of the two is enough. Its older versions read `from` for `src`.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from attendo.server.dialects import reading
from attendo.server.dialects.statuses import STATUSES
from attendo.server.job import Answer, Job, RequestError
from attendo.server.languages import google_code

NAME = "kiss"


def read(body: Mapping[str, Any], *, list_route: bool = False) -> Job:
    body = reading.an_object(body)
    has_list = body.get("texts") is not None
    texts, single = (reading.text_list(body, "texts"), False) if has_list else reading.texts(body, "text")
    return Job(
        texts=texts,
        single=single,
        source=reading.source(body, "from"),
        targets=(reading.target(body, "to"),),
    )


def write(job: Job, answers: Sequence[Answer]) -> Any:
    written = [{"text": answer.text, "src": google_code(answer.source)} for answer in answers]
    return {**written[0], "from": written[0]["src"]} if job.single else {"translations": written}


def refuse(error: RequestError) -> tuple[int, Any]:
    return STATUSES[error.kind], {"error": error.text}
