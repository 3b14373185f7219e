"""An engine that another process has: its requests go over a connection, its answers come back.

On a GPU a sentence is decoded in less time than Python needs to cut it, encode it, check the answer and put it
together. So several processes do that (attendo/documents/text_workers.py), each with a translator around a
`LentEngine`, and the one that has the GPU decodes for all of them: `answer_call`.

    worker                                     owner of the engine
    search(requests)  -- EngineCall -------->  engine.search(requests)
    [[Hypothesis …]]  <-- plain tuples ------
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any, Literal, NamedTuple

from attendo.decoding.hypothesis import Hypothesis
from attendo.decoding.options import SamplingOptions, SearchOptions
from attendo.engines.engine import Engine, Limits, Request


class EngineCall(NamedTuple):
    """What a worker asks of the engine; the texts of requests, which no engine reads, stay at home."""

    method: Literal["search", "sample", "score"]
    arguments: tuple[Any, ...]


@dataclass(frozen=True)
class EngineFacts:
    """What a translator asks of an engine before it decodes anything."""

    name: str
    limits: Limits
    tokens_per_batch: int

    @classmethod
    def of(cls, engine: Engine) -> "EngineFacts":
        return cls(engine.name, engine.limits, engine.tokens_per_batch)


@dataclass(frozen=True)
class LentEngine:
    """An `Engine`, in a worker. Tokens one by one are for a person who watches, and not to be had over a connection."""

    facts: EngineFacts
    connection: "Connection[Any, Any]"
    threads: int | None = None

    @property
    def name(self) -> str:
        return self.facts.name

    @property
    def limits(self) -> Limits:
        return self.facts.limits

    @property
    def tokens_per_batch(self) -> int:
        return self.facts.tokens_per_batch

    def search(
        self, requests: Sequence[Request], options: SearchOptions, *, attention: bool = False
    ) -> Iterator[list[Hypothesis]]:
        found = self.call("search", list(map(bare, requests)), options, attention)
        return iter([[Hypothesis(*one) for one in hypotheses] for hypotheses in found])

    def sample(
        self, requests: Sequence[Request], options: SamplingOptions, seeds: Sequence[int] | None = None
    ) -> list[Hypothesis]:
        return [Hypothesis(*one) for one in self.call("sample", list(map(bare, requests)), options, seeds)]

    def score(self, pairs: Sequence[tuple[Request, Sequence[int]]]) -> list[Hypothesis]:
        found = self.call("score", [(bare(request), tuple(ids)) for request, ids in pairs])
        return [Hypothesis(*one) for one in found]

    def tokens(self, request: Request) -> Iterator[int]:
        raise NotImplementedError

    def call(self, method: Literal["search", "sample", "score"], *arguments: Any) -> Any:
        """Waits for the answer; what was wrong there is raised here."""
        self.connection.send(EngineCall(method, arguments))
        answer = self.connection.recv()
        if isinstance(answer, Exception):
            raise answer
        return answer


def bare(request: Request) -> tuple[Any, ...]:
    return request.ids, request.max_length, request.phrases, request.prefix


def answer_call(engine: Engine, call: EngineCall) -> list[Any]:
    """What the engine says, in plain tuples: they travel faster than objects."""
    match call.method:
        case "search":
            requests, options, attention = call.arguments
            given = {"attention": True} if attention else {}  # an engine that was handed in may know no more
            found = engine.search([Request(*one) for one in requests], options, **given)
            return [list(map(as_tuple, hypotheses)) for hypotheses in found]
        case "sample":
            requests, options, seeds = call.arguments
            return list(map(as_tuple, engine.sample([Request(*one) for one in requests], options, seeds)))
        case "score":
            (pairs,) = call.arguments
            return list(map(as_tuple, engine.score([(Request(*one), ids) for one, ids in pairs])))


def as_tuple(found: Hypothesis) -> tuple[Any, ...]:
    return found.ids, found.log_prob, found.score, found.token_log_probs, found.attention
