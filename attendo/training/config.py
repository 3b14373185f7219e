"""How to train: the tables [training] and [validation] of a recipe."""

import math
from dataclasses import dataclass
from typing import Literal

from attendo.errors import ConfigError
from attendo.files.arguments import check_fields

Schedule = Literal["noam", "cosine"]
Precision = Literal["auto", "float32", "bfloat16"]
Switch = Literal["auto", "on", "off"]
Metric = Literal["loss", "bleu", "chrf", "exact", "accuracy"]


@dataclass(frozen=True, kw_only=True)
class TrainingConfig:
    """How to train; the defaults are the paper's (5.1 to 5.4) where it has one.

    >>> attendo.TrainingConfig(max_steps=100_000).warmup_steps
    4000
    """

    seed: int = 1
    max_steps: int = 20_000
    tokens_per_batch: int = 25_000  # positions on the wider side, of all micro-batches of a step that one forward holds
    accumulate: int = 1  # micro-batches a step

    schedule: Schedule = "noam"
    learning_rate: float = 1.0  # noam: a factor on equation 3; cosine: the peak
    warmup_steps: int = 4_000
    beta1: float = 0.9
    beta2: float = 0.98
    epsilon: float = 1e-9
    weight_decay: float = 0.0
    max_gradient_norm: float = 1.0

    label_smoothing: float = 0.1
    r_drop: float = 0.0  # α of R-Drop; 0 is off
    average_decay: float = 0.0  # of the moving average of weights, such as 0.999; 0 is off
    masked_share: float = 0.15  # of tokens to guess; for encoder-only models alone

    checkpoint_every: int = 500
    keep_last: int = 3
    keep_best: int = 1
    max_skipped: int = 10  # updates in a row that may be skipped because of a loss that is no number

    device: str = "auto"
    precision: Precision = "auto"  # bfloat16 where the GPU has it
    compile: Switch = "auto"  # on a GPU, if there is a compiler; a plain Transformer has programs of its own there
    threads: int = 0  # of the CPU; 0: one for each core
    shard: bool = False  # weights and moments shared among ranks, for a model that does not fit on one
    tensorboard: bool = False

    def __post_init__(self) -> None:
        check_fields(self, "[training]")
        positive = ("max_steps", "tokens_per_batch", "accumulate", "warmup_steps", "checkpoint_every", "max_skipped")
        for name in positive:
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} = {getattr(self, name)} in [training]: expected at least 1")
        for name in ("seed", "keep_best", "threads", "weight_decay", "r_drop"):
            if not getattr(self, name) >= 0:
                raise ConfigError(f"{name} = {getattr(self, name)} in [training]: expected at least 0")
        for name in ("learning_rate", "epsilon", "max_gradient_norm"):
            if not 0 < getattr(self, name) < float("inf"):
                raise ConfigError(f"{name} = {getattr(self, name)} in [training]: expected a number above 0")
        for name in ("label_smoothing", "average_decay", "beta1", "beta2"):
            if not 0 <= getattr(self, name) < 1:
                raise ConfigError(f"{name} = {getattr(self, name)} in [training]: expected at least 0 and below 1")
        if not 0 < self.masked_share < 1:
            raise ConfigError(f"masked_share = {self.masked_share} in [training]: expected between 0 and 1")
        if self.keep_last < 2:
            raise ConfigError(f"keep_last = {self.keep_last} in [training]: expected at least 2, one may get damaged")
        if self.schedule == "cosine" and self.warmup_steps >= self.max_steps:
            raise ConfigError(
                f"warmup_steps = {self.warmup_steps} and max_steps = {self.max_steps} in [training]: "
                f"the cosine schedule needs more steps than warmup"
            )


@dataclass(frozen=True, kw_only=True)
class ValidationConfig:
    """When to validate, which score decides, and how long to wait for a better one."""

    every: int = 500
    metric: Metric = "loss"  # or a score of the translations: bleu, chrf, exact; accuracy for encoder-only models
    patience: int = 0  # validations without a gain before the run ends; 0: it never ends early
    max_pairs: int = 2_000  # of each direction, to translate for scores
    samples: int = 2  # translations to show

    def __post_init__(self) -> None:
        check_fields(self, "[validation]")
        if self.every < 1:
            raise ConfigError(f"every = {self.every} in [validation]: expected at least 1")
        for name in ("patience", "max_pairs", "samples"):
            if getattr(self, name) < 0:
                raise ConfigError(f"{name} = {getattr(self, name)} in [validation]: expected at least 0")

    def best(self, scores: dict[int, float], count: int) -> list[int]:
        """The steps with the best scores, best first; of equals the earlier. A loss should fall, all else rise."""
        sign = 1 if self.metric == "loss" else -1
        real = [step for step in scores if not math.isnan(scores[step])]
        return sorted(real, key=lambda step: (sign * scores[step], step))[:count]
