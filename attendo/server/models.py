"""The models of a server: which of them translates from what into what, each with its queue of sentences."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import NamedTuple

from attendo.errors import AttendoError, UsageError
from attendo.server.batching import QueuedEngine, SentenceQueue, Ticket
from attendo.server.detection import detect
from attendo.server.job import RequestError
from attendo.server.metrics import Metrics
from attendo.text.scripts import base_language
from attendo.translation.load import EngineName, load
from attendo.translation.prepare import likeliest
from attendo.translation.translator import Translator


@dataclass(frozen=True)
class ServedModel:
    name: str
    translator: Translator
    queue: SentenceQueue

    def translator_for(self, ticket: Ticket) -> Translator:
        """The same model, asked through the queue."""
        return Translator(self.translator.bundle, self.translator.tokenizer, QueuedEngine(self.queue, ticket))


class Route(NamedTuple):
    """Who translates one text, and from what."""

    model: ServedModel
    source: str  # as the model names it


@dataclass(frozen=True)
class ServedModels:
    models: tuple[ServedModel, ...]

    @cached_property
    def directions(self) -> list[tuple[str, str]]:
        """Of all models, each once, in their order."""
        found = [direction for model in self.models for direction in model.translator.bundle.directions]
        return list(dict.fromkeys(found))

    @cached_property
    def sources(self) -> list[str]:
        return list(dict.fromkeys(source for source, _ in self.directions))

    @cached_property
    def targets(self) -> list[str]:
        return list(dict.fromkeys(target for _, target in self.directions))

    @cached_property
    def sources_by_target(self) -> dict[str, tuple[str, ...]]:
        """Targets without their regions: en for en-GB."""
        found: dict[str, dict[str, None]] = {}
        for source, target in self.directions:
            found.setdefault(base_language(target), {})[source] = None
        return {target: tuple(sources) for target, sources in found.items()}

    def sources_for(self, target: str) -> tuple[str, ...]:
        """What can be translated into it."""
        found = self.sources_by_target.get(base_language(target))
        if not found:
            raise RequestError("language", f"{target} is not supported: this server translates into {self.listed()}")
        return found

    def has_direction(self, source: str, target: str) -> bool:
        sources = self.sources_by_target.get(base_language(target), ())
        return base_language(source) in map(base_language, sources)

    def route(self, text: str, source: str | None, target: str) -> Route:
        """The first model that has the direction; where the client does not say the source, the text tells."""
        sources = self.sources_for(target)
        if source is None:
            chosen = sources[0] if len(sources) == 1 else likeliest(text, sources)
        else:
            same = [one for one in sources if base_language(one) == base_language(source)]
            if not same:
                raise RequestError(
                    "language",
                    f"{source} to {target} is not supported: into {target} this server reads {', '.join(sources)}",
                )
            chosen = same[0]
        for model in self.models:
            for one, other in model.translator.bundle.directions:
                if one == chosen and base_language(other) == base_language(target):
                    return Route(model, chosen)
        raise AssertionError("a direction without a model")

    def listed(self) -> str:
        return ", ".join(self.targets)

    def start(self) -> None:
        """Each translates a word in every direction: what is ready has shown that it is."""
        for model in self.models:
            model.queue.start()
            detect("Ciao!", self.sources)  # loads what tells languages apart
            for source, target in model.translator.bundle.directions:
                model.translator.translate("1 a", to=target, from_=source)

    def close(self) -> None:
        for model in self.models:
            model.queue.close()


def load_models(
    names: Sequence[str | None],
    metrics: Metrics,
    *,
    engine: EngineName = "auto",
    device: str = "auto",
    threads: int | None = None,
    full_vocabulary: bool = False,
) -> ServedModels:
    """By name or folder; None is the default model. A direction that two have goes to the first."""
    found: list[ServedModel] = []
    for name in names or [None]:
        try:
            translator = load(name, engine=engine, device=device, threads=threads, full_vocabulary=full_vocabulary)
        except AttendoError as error:
            raise type(error)(f"--model {name}: {error}" if name else str(error)) from error
        known = model_name(translator)
        if any(model.translator.bundle.key == translator.bundle.key for model in found):
            raise UsageError(f"--model {name}: the same model twice")
        same = sum(model.name.partition("#")[0] == known for model in found)
        queue = SentenceQueue(translator.engine, metrics.on_batch)
        found.append(ServedModel(f"{known}#{same + 1}" if same else known, translator, queue))
    return ServedModels(tuple(found))


def model_name(translator: Translator) -> str:
    """Of its folder; a run's model is called by the run. Never the whole path: clients see it."""
    folder = Path(translator.bundle.folder).resolve()
    return folder.parent.name if folder.name == "model" else folder.name
