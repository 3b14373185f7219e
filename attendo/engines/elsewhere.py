"""An engine in another process: requests go there, hypotheses come back. Who asks loads no torch and no weights.

One engine serves several that ask, in the order in which they ask. There is no torch here.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from multiprocessing.connection import Connection, wait
from typing import Any, Self

from attendo.decoding.hypothesis import Hypothesis
from attendo.decoding.length import MOST_TOGETHER
from attendo.decoding.options import SamplingOptions, SearchOptions
from attendo.engines.engine import Engine, Limits, Request
from attendo.errors import AttendoError, InputError
from attendo.special_tokens import SPECIAL

WARM_UP = Request((SPECIAL.eos,) * 12, max_length=12)


@dataclass(frozen=True)
class EngineFacts:
    """What is to be known of an engine before it is asked."""

    name: str
    threads: int | None
    limits: Limits
    tokens_per_batch: int
    fills_powers_of_two: bool

    @classmethod
    def of(cls, engine: Engine) -> Self:
        fills = getattr(engine, "fills_powers_of_two", False)
        return cls(engine.name, engine.threads, engine.limits, engine.tokens_per_batch, fills)


@dataclass(frozen=True)
class EngineElsewhere:
    """An `Engine` at the other end of a connection. Should that end be gone, EOFError or BrokenPipeError says so."""

    facts: EngineFacts
    connection: "Connection[Any, Any]"

    @classmethod
    def at(cls, connection: "Connection[Any, Any]") -> Self:
        """As soon as it is loaded; the error, if it cannot be."""
        return cls(heard(connection), connection)

    @property
    def name(self) -> str:
        return self.facts.name

    @property
    def threads(self) -> int | None:
        return self.facts.threads

    @property
    def limits(self) -> Limits:
        return self.facts.limits

    @property
    def tokens_per_batch(self) -> int:
        return self.facts.tokens_per_batch

    @property
    def fills_powers_of_two(self) -> bool:
        return self.facts.fills_powers_of_two

    def search(
        self, requests: Sequence[Request], options: SearchOptions, *, attention: bool = False
    ) -> Iterator[list[Hypothesis]]:
        found: list[list[Hypothesis]] = self.ask("search", without_text(requests), options, attention=attention)
        return iter(found)

    def sample(
        self, requests: Sequence[Request], options: SamplingOptions, seeds: Sequence[int] | None = None
    ) -> list[Hypothesis]:
        found: list[Hypothesis] = self.ask("sample", without_text(requests), options, seeds)
        return found

    def tokens(self, request: Request) -> Iterator[int]:
        found: list[int] = self.ask("tokens", request)  # all at once: nobody watches a file grow
        return iter(found)

    def score(self, pairs: Sequence[tuple[Request, Sequence[int]]]) -> list[Hypothesis]:
        found: list[Hypothesis] = self.ask("score", pairs)
        return found

    def ask(self, what: str, *given: object, **named: object) -> Any:
        self.connection.send((what, given, named))
        return heard(self.connection)


def heard(connection: "Connection[Any, Any]") -> Any:
    said = connection.recv()
    if isinstance(said, Exception):
        raise said
    return said


def without_text(requests: Sequence[Request]) -> list[Request]:
    """No engine reads it, so it need not travel."""
    return [request._replace(text="") for request in requests]


def serve_engine(
    load: Callable[[], Engine], connections: Sequence["Connection[Any, Any]"], likely: SearchOptions | None = None
) -> None:
    """Load the engine, tell all who ask, and answer them until the last of them is gone.

    While they prepare their first sentences, one search is made that is `likely` to be asked for: it takes a second
    until a GPU has all its programs. Only time hangs on it.
    """
    asking = list(connections)
    try:
        engine = load()
        answer: object = EngineFacts.of(engine)
    except Exception as error:  # a library's, or the driver's: who asked should know of it
        answer, asking = told(error), []
    for one in connections:
        one.send(answer)
    if likely and asking:
        room = engine.tokens_per_batch // (likely.beam_size * len(WARM_UP.ids))
        with suppress(Exception):
            list(engine.search([WARM_UP] * max(1, min(room, MOST_TOGETHER)), likely))
    while asking:
        ready = wait(asking)
        for one in [each for each in asking if each in ready]:
            try:
                what, given, named = one.recv()
            except (EOFError, ConnectionResetError):
                asking.remove(one)
                continue
            try:
                answer = list(getattr(engine, what)(*given, **named))
            except Exception as error:
                answer = told(error)
            one.send(answer)


def told(error: Exception) -> AttendoError:
    """As it can be sent: the class of another library may not be known where it arrives."""
    if isinstance(error, AttendoError):
        return error
    reason = str(error).strip().partition("\n")[0]
    return InputError(f"the process that decodes failed: {type(error).__name__}: {reason}")
