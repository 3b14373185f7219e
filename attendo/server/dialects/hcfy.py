"""划词翻译 (hcfy): languages by their Chinese names, and a second one for a text that is in the first already.

    {"name": "attendo", "text": "你好", "destination": ["中文(简体)", "英语"], "source": ""}
    {"text": "你好", "from": "中文(简体)", "to": "英语", "result": ["Hello"]}

A paragraph of the answer is an item of its own.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from attendo.server.dialects import reading
from attendo.server.dialects.statuses import STATUSES
from attendo.server.job import Answer, Job, RequestError
from attendo.server.languages import hcfy_name

NAME = "hcfy"


def read(body: Mapping[str, Any], *, list_route: bool = False) -> Job:
    body = reading.an_object(body)
    names, _ = reading.texts(body, "destination")
    return Job(
        texts=(reading.one_text(body, "text"),),
        source=reading.source(body, "source"),
        targets=tuple(reading.target({"destination": name}, "destination") for name in names[:2]),
    )


def write(job: Job, answers: Sequence[Answer]) -> Any:
    answer = answers[0]
    return {
        "text": job.texts[0],
        "from": hcfy_name(answer.source),
        "to": hcfy_name(answer.target),
        "result": answer.text.split("\n"),
    }


def refuse(error: RequestError) -> tuple[int, Any]:
    return STATUSES[error.kind], {"error": error.text}
