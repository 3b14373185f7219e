"""What a run is made of, and whether a checkpoint was made of the same."""

import json
import logging
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from attendo import __version__
from attendo.errors import ConfigError, TrainingError
from attendo.model.config import ModelConfig, config_from_dict, config_to_dict
from attendo.training.config import TrainingConfig, ValidationConfig
from attendo.training.device import Machine
from attendo.training.ranks import Ranks

logger = logging.getLogger("attendo")

# Settings that do not change what is learnt: a run may be resumed with others.
FREE = {
    "max_steps", "checkpoint_every", "keep_last", "keep_best", "max_skipped",
    "device", "precision", "compile", "threads", "tensorboard", "shard",
}  # fmt: skip

ONE_PROCESS = {"ranks": "1", "sharded": "no"}  # as were all runs whose checkpoints say nothing of it


@dataclass(frozen=True)
class Fingerprint:
    """A resumed run must agree in what is `required`; where it differs in what is `advisory`, bits may differ."""

    required: dict[str, str] = field(default_factory=dict)  # data, tokenizer, model, settings of training
    advisory: dict[str, str] = field(default_factory=dict)  # versions, device, threads


def fingerprint_of(
    made_of: Mapping[str, str], training: TrainingConfig, validation: ValidationConfig, machine: Machine, world: int = 1
) -> Fingerprint:
    """`made_of`: data, tokenizer and model, as who prepared them describes them. `world`: how many ranks."""
    settings = facts_of_training(training)
    settings["validation.metric"] = validation.metric  # or scores of two kinds would be compared
    advisory = {"attendo": __version__, **machine.to_dict(), **ONE_PROCESS}
    advisory["ranks"] = str(world)
    advisory["sharded"] = "yes" if training.shard else "no"
    return Fingerprint(required={**made_of, **settings}, advisory=advisory)


def facts_of_training(training: TrainingConfig) -> dict[str, str]:
    free = FREE - {"max_steps"} if training.schedule == "cosine" else FREE  # its curve ends at the last step
    return {f"training.{name}": str(value) for name, value in asdict(training).items() if name not in free}


def facts_of_model(config: ModelConfig) -> dict[str, str]:
    table = config_to_dict(config)
    return {f"model.{name}": value if isinstance(value, str) else json.dumps(value) for name, value in table.items()}


def as_today(required: dict[str, str]) -> dict[str, str]:
    """What an earlier version wrote, in today's names, and with the settings it did not know yet at their defaults."""
    of_model = {name for name in required if name.startswith("model.")} - {"model.init_from"}
    if not of_model:
        return required
    table = {name.removeprefix("model."): from_text(required[name]) for name in of_model}
    try:
        model = facts_of_model(config_from_dict(table))
    except ConfigError:  # then the differences will be told
        return required
    rest = {name: value for name, value in required.items() if name not in of_model}
    return facts_of_training(TrainingConfig()) | rest | model


def from_text(value: str) -> object:
    """2 from "2" and false from "false"; words stay what they are."""
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def differences(before: dict[str, str], now: dict[str, str]) -> list[str]:
    return [
        f"{name} ({before.get(name, 'nothing')[:40]} then, {now.get(name, 'nothing')[:40]} now)"
        for name in sorted(before | now)
        if before.get(name) != now.get(name)
    ]


def check_same_run(ours: Fingerprint, ranks: Ranks) -> None:
    """All ranks must train the same: a corpus that differs on another machine is found before the first step."""
    first, *others = ranks.gather(ours.required)
    for rank, other in enumerate(others, start=1):
        if odd := sorted(name for name in first | other if first.get(name) != other.get(name)):
            raise TrainingError(f"rank 0 and rank {rank} do not train the same: they differ in {', '.join(odd)}")


def check_same(before: Fingerprint, now: Fingerprint, folder: Path, force: bool) -> None:
    """Refuses a checkpoint of other data, tokenizer, model or settings; remarks on another machine."""
    if other := differences(as_today(before.required), now.required):
        fixed = [name for name in other if name.startswith(("model.", "tokenizer"))]
        if fixed or not force:
            hint = "" if fixed else ", or --force to resume all the same"
            raise TrainingError(
                f"the run in {folder} was made of something else: {'; '.join(other)}. Name another --run-dir{hint}"
            )
        logger.warning("resuming although the run was made of something else: %s", "; ".join(other))
    if other := differences(ONE_PROCESS | before.advisory, now.advisory):
        logger.warning("not bit-identical with a run never stopped, because this differs: %s", "; ".join(other))
