"""The state of a run as plain lines, for files and programs."""

import math
from collections.abc import Iterator, Sequence

from attendo.report.quantities import duration_text, score_text, scores_text
from attendo.report.visible_text import visible
from attendo.runs.training_state import TrainingState
from attendo.training.watch import Sample, ValidationRecord

LONGEST_SAMPLE = 200  # characters
SAMPLES = 2


def start_line(state: TrainingState, name: str) -> str:
    what = f"training {visible(name, LONGEST_SAMPLE)}".strip()
    if state.start_step:
        return f"{what}: goes on after step {state.start_step:,} of {state.max_steps:,}"
    return f"{what}: {state.max_steps:,} steps"


def step_line(state: TrainingState) -> str:
    """A step, or that there has been none."""
    parts = [f"step {state.step:,} of {state.max_steps:,}"]
    if last := state.last:
        parts += [
            f"loss {score_text('loss', state.loss.value)} (last {score_text('loss', last.loss)})",
            f"learning rate {last.learning_rate:.2e}",
            f"gradient norm {last.gradient_norm:.3g}",
            f"{last.target_tokens_per_second:,.0f} target tokens/s",
            f"padding {last.padding:.1%}",
            f"epoch {last.epoch}",
        ]
    if state.skipped:
        parts.append(f"{state.skipped:,} skipped")
    if state.saved_step is not None:
        parts.append(f"checkpoint {state.saved_step:,}")
    if state.step < state.max_steps and not math.isnan(state.seconds_left):
        parts.append(f"{duration_text(state.seconds_left)} left")
    return ", ".join(parts)


def validation_line(record: ValidationRecord) -> str:
    return f"validation at step {record.step:,}: {scores_text(record.scores)}{' (best so far)' if record.best else ''}"


def sample_lines(samples: Sequence[Sample]) -> Iterator[str]:
    for sample in samples[:SAMPLES]:
        yield f"  source       {visible(sample.source, LONGEST_SAMPLE)}"
        yield f"  reference    {visible(sample.reference, LONGEST_SAMPLE)}"
        yield f"  translation  {visible(sample.translation, LONGEST_SAMPLE)}"
