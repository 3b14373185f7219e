"""What a run is made of, and whether a checkpoint was made of the same."""

import logging
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

from attendo import __version__
from attendo.errors import TrainingError
from attendo.training.config import TrainingConfig, ValidationConfig
from attendo.training.device import Machine

logger = logging.getLogger("attendo")

# Settings that do not change what is learnt: a run may be resumed with others.
FREE = {
    "max_steps", "checkpoint_every", "keep_last", "keep_best", "max_skipped",
    "device", "precision", "compile", "threads", "tensorboard",
}  # fmt: skip


@dataclass(frozen=True)
class Fingerprint:
    """A resumed run must agree in what is `required`; where it differs in what is `advisory`, bits may differ."""

    required: dict[str, str] = field(default_factory=dict)  # data, tokenizer, model, settings of training
    advisory: dict[str, str] = field(default_factory=dict)  # versions, device, threads


def fingerprint_of(
    made_of: Mapping[str, str], training: TrainingConfig, validation: ValidationConfig, machine: Machine
) -> Fingerprint:
    """`made_of`: data, tokenizer and model, as who prepared them describes them."""
    free = FREE - {"max_steps"} if training.schedule == "cosine" else FREE  # its curve ends at the last step
    settings = {f"training.{name}": str(value) for name, value in asdict(training).items() if name not in free}
    settings["validation.metric"] = validation.metric  # or scores of two kinds would be compared
    return Fingerprint(required={**made_of, **settings}, advisory={"attendo": __version__, **machine.to_dict()})


def differences(before: dict[str, str], now: dict[str, str]) -> list[str]:
    return [
        f"{name} ({before.get(name, 'nothing')[:40]} then, {now.get(name, 'nothing')[:40]} now)"
        for name in sorted(before | now)
        if before.get(name) != now.get(name)
    ]


def check_same(before: Fingerprint, now: Fingerprint, folder: Path, force: bool) -> None:
    """Refuses a checkpoint of other data, tokenizer, model or settings; remarks on another machine."""
    if other := differences(before.required, now.required):
        fixed = [name for name in other if name.startswith(("model.", "tokenizer"))]
        if fixed or not force:
            hint = "" if fixed else ", or --force to resume all the same"
            raise TrainingError(
                f"the run in {folder} was made of something else: {'; '.join(other)}. Name another --run-dir{hint}"
            )
        logger.warning("resuming although the run was made of something else: %s", "; ".join(other))
    if other := differences(before.advisory, now.advisory):
        logger.warning("not bit-identical with a run never stopped, because this differs: %s", "; ".join(other))
