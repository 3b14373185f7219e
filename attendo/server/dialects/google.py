"""Google's addresses that programs know without a key: `translate_a/single`, and `language/translate/v2`.

    ?sl=auto&tl=zh-CN&q=Hi         [[["你好", "Hi", null, null, 1]], null, "en", …]                       array
    ?sl=auto&tl=zh-CN&q=Hi&dj=1    {"sentences": [{"trans": "你好", "orig": "Hi"}], "src": "en"}           object
    {"q": "Hi", "target": "zh"}    {"data": {"translations": [{"translatedText": "你好", …}]}}             v2

In the array a sentence is an item, with the white space after it: pot puts them together as they are. KISS puts spaces
between those of the object, which Chinese has none of: there all sentences are one item.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from attendo.server.dialects import reading
from attendo.server.dialects.statuses import STATUSES
from attendo.server.job import Answer, Job, RequestError
from attendo.server.languages import google_code

NAME = "google"


def read(body: Mapping[str, Any], *, list_route: bool = False) -> Job:
    body = reading.an_object(body)
    if "tl" in body:
        return Job(
            texts=(reading.one_text(body, "q"),),
            source=reading.source(body, "sl"),
            targets=(reading.target(body, "tl"),),
            form="object" if reading.flag(body, "dj") else "array",
        )
    texts, single = reading.texts(body, "q")
    return Job(
        texts=texts,
        single=single,
        source=reading.source(body, "source"),
        targets=(reading.target(body, "target"),),
        markup=reading.markup(body, "format", "text", "html", default="html"),  # theirs, too
        form="v2",
    )


def write(job: Job, answers: Sequence[Answer]) -> Any:
    if job.form == "v2":
        return {"data": {"translations": [with_source(job, answer) for answer in answers]}}
    answer, source = answers[0], google_code(answers[0].source)
    if job.form == "object":
        sentence = {"trans": answer.text, "orig": job.texts[0], "backend": 10}
        return {"sentences": [sentence], "src": source, "confidence": answer.confidence, "spell": {}}
    items = [[translation, text, None, None, 1] for text, translation in sentences(job, answer)]
    # The second is a dictionary's entry where there is one: pot would show it in place of the translation.
    return [items, None, source, None, None, None, answer.confidence, []]


def with_source(job: Job, answer: Answer) -> dict[str, str]:
    written = {"translatedText": answer.text}
    return written | {"detectedSourceLanguage": google_code(answer.source)} if job.source is None else written


def sentences(job: Job, answer: Answer) -> Sequence[tuple[str, str]]:
    """Source and translation of each, where together they are the whole."""
    whole = "".join(translation for _, translation in answer.sentences)
    return answer.sentences if whole == answer.text and whole else [(job.texts[0], answer.text)]


def refuse(error: RequestError) -> tuple[int, Any]:
    status = STATUSES[error.kind]
    return status, {"error": {"code": status, "message": error.text}}
