"""MTranServer: Zotero, STranslate, MTranCode for VS Code.

    {"text": "Hallo", "from": "de", "to": "zh-Hans"}      {"result": "你好"}
    {"texts": ["Hallo"], "from": "de", "to": "zh-Hans"}   {"results": ["你好"]}, at /translate/batch

Its `html` is true where the text has markup.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from attendo.server.dialects import reading
from attendo.server.dialects.statuses import STATUSES
from attendo.server.job import Answer, Job, RequestError

NAME = "mtran"


def read(body: Mapping[str, Any], *, list_route: bool = False) -> Job:
    body = reading.an_object(body)
    return Job(
        texts=reading.text_list(body, "texts") if list_route else (reading.one_text(body, "text"),),
        single=not list_route,
        source=reading.source(body, "from"),
        targets=(reading.target(body, "to"),),
        markup="html" if reading.flag(body, "html") else "text",
    )


def write(job: Job, answers: Sequence[Answer]) -> Any:
    return {"result": answers[0].text} if job.single else {"results": [answer.text for answer in answers]}


def refuse(error: RequestError) -> tuple[int, Any]:
    return STATUSES[error.kind], {"error": error.text}
