"""Our own API: all that a job can hold, under the names of the command line.

    {"text": ["Der Bahnhof ist neu."], "to": "en", "glossary": {"Bahnhof": "central station"}, "alternatives": 2}
    {"translations": [{"text": "The central station is new.", "from": "de", "to": "en", …}]}

One text or several: the answer has a list.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from attendo.server.dialects import reading
from attendo.server.dialects.statuses import STATUSES
from attendo.server.job import Answer, Job, RequestError

NAME = "own"
LARGEST_BEAM = 64
MOST_TERMS = 1_000  # of a glossary, and of those to keep: they come with every request
LONGEST_TERM = 200  # characters


def read(body: Mapping[str, Any], *, list_route: bool = False) -> Job:
    body = reading.an_object(body)
    texts, single = reading.texts(body, "text")
    return Job(
        texts=texts,
        single=single,
        source=reading.source(body, "from"),
        targets=(reading.target(body, "to"),),
        markup=reading.markup(body, "format", "text", "html", "xml"),
        alternatives=reading.alternatives(body),
        beam=reading.whole_number(body, "beam", 1, LARGEST_BEAM),
        glossary=glossary(body),
        keep=keep(body),
        one_sentence=bool(reading.flag(body, "one_sentence")),
        ignored_tags=reading.tags(body, "ignore_tags"),
        splitting_tags=reading.tags(body, "splitting_tags"),
        inline_tags=reading.tags(body, "non_splitting_tags"),
    )


def glossary(body: Mapping[str, Any]) -> dict[str, str]:
    """Terms and their translations."""
    value = body.get("glossary")
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise reading.wrong("glossary", value, "an object of terms and their translations")
    check_number("glossary", len(value))
    return {term("glossary", source): term("glossary", target) for source, target in value.items()}


def keep(body: Mapping[str, Any]) -> tuple[str, ...]:
    """Terms that stay as they are."""
    if body.get("keep") in (None, []):
        return ()
    terms, _ = reading.texts(body, "keep")
    check_number("keep", len(terms))
    return tuple(term("keep", one) for one in terms)


def term(key: str, value: Any) -> str:
    found = reading.checked(f"a term of {key}", value, "a text", LONGEST_TERM)
    if not found.strip():
        raise RequestError("bad-request", f"a term of {key} is empty: expected a text")
    return found


def check_number(key: str, number: int) -> None:
    if number > MOST_TERMS:
        raise RequestError("bad-request", f"{key} has {number:,} terms: expected at most {MOST_TERMS:,}")


def write(job: Job, answers: Sequence[Answer]) -> Any:
    return {
        "translations": [
            {
                "text": answer.text,
                "from": answer.source,
                "to": answer.target,
                "detected": answer.detected,
                "confidence": answer.confidence,
                "alternatives": list(answer.alternatives),
            }
            for answer in answers
        ]
    }


def refuse(error: RequestError) -> tuple[int, Any]:
    return STATUSES[error.kind], {"error": error.text, "kind": error.kind, "retry_after": error.retry_after}
