"""What a client asks for and what it is told, whatever dialect it speaks.

    body -> dialect.read -> Job -> queue, translator -> Answer for each text -> dialect.write -> JSON

A dialect is a module of dialects/ with the four names of `Dialect`. It reads no socket, knows no model and holds no
state: its tests are bodies that real clients send.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

Markup = Literal["text", "html", "xml"]
# What went wrong, for dialects to put into their own words and numbers.
RequestErrorKind = Literal[
    "bad-request",  # 400: a key is missing, or of another type than expected
    "language",  # 400: a language, or a pair of languages, that no model here has
    "gone",  # 404: what was kept of an earlier request is kept no more
    "key",  # 403 or 401: no key, or a wrong one
    "origin",  # 403: a page of another site, or a name that is not this server's
    "media-type",  # 415: neither JSON nor a form
    "too-large",  # 413: more text than one request may have
    "too-many",  # 429: this client asks too often
    "busy",  # 503: the queue is full, or the server is about to end
    "late",  # 504: not done in time
    "cancelled",  # 499: the client left, and nobody reads this
    "internal",  # 500: a mistake of ours
]


@dataclass(frozen=True, kw_only=True)
class Job:
    """One request: texts to be translated, and how."""

    texts: tuple[str, ...]
    targets: tuple[str, ...]  # as the client names them; the second is for a text that is in the first already
    source: str | None = None  # as the client names it; None: each text tells
    markup: Markup = "text"
    alternatives: int = 0  # translations besides the best
    beam: int | None = None
    glossary: Mapping[str, str] = field(default_factory=dict)  # terms, and what they are to be
    keep: tuple[str, ...] = ()  # terms that stay as they are
    one_sentence: bool = False  # each text is one sentence, whatever stops it has
    ignored_tags: tuple[str, ...] = ()  # of markup: what stands in these is not translated
    splitting_tags: tuple[str, ...] = ()  # of markup: these end a sentence, besides those that always do
    inline_tags: tuple[str, ...] = ()  # of markup: these end none
    outline: bool = True  # of XML: an element beside which there is no text ends a sentence, too
    single: bool = True  # the client sent one text, not a list of them
    form: str = ""  # which answer the client reads, of a dialect that has several


@dataclass(frozen=True, kw_only=True)
class Answer:
    """One text of a job, translated."""

    text: str
    source: str  # as the model names it: zh, en, de
    target: str  # as it was asked for, in BCP 47: zh-Hant where that was wanted
    detected: bool  # the source language was told from the text
    told: str = ""  # that language, in its script: zh-Hant for a text in traditional characters
    confidence: float = 1.0  # in that, from 0 to 1
    alternatives: tuple[str, ...] = ()
    source_text: str = ""
    sentences: tuple[tuple[str, str], ...] = ()  # source and translation of each, with the spaces after it


@dataclass(eq=False)
class RequestError(Exception):
    """Why a request is refused; `text` is a sentence for people, and `retry_after` seconds to wait before the next."""

    kind: RequestErrorKind
    text: str
    retry_after: int | None = None


class Dialect(Protocol):
    """What a module of dialects/ has."""

    NAME: str

    def read(self, body: Mapping[str, Any], *, list_route: bool = False) -> Job:
        """The job of a body, whether it came as JSON, as a form or in the query; a `RequestError` if it is none.

        Values of a form are str, or a list of str where a key came more than once. Keys that are not known are ignored:
        clients send many.
        """

    def write(self, job: Job, answers: Sequence[Answer]) -> Any:
        """What is sent back, as JSON."""

    def refuse(self, error: RequestError) -> tuple[int, Any]:
        """Status and body that say no."""
