"""The training loop, in the order in which things happen: validate and save what is due, then take a step."""

import logging
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass, field
from typing import NoReturn

import torch
from torch import nn

from attendo.errors import InputError, TrainingError
from attendo.files.tables import short_repr
from attendo.training.callback import Callback, CheckpointRecord, StepRecord, TranslationSample, ValidationRecord
from attendo.training.checkpoints import Checkpoints
from attendo.training.config import TrainingConfig, ValidationConfig
from attendo.training.feed import Feed, Work
from attendo.training.fingerprint import Fingerprint
from attendo.training.objective import Objective
from attendo.training.ranks import ALONE, Ranks
from attendo.training.sharded import is_sharded
from attendo.training.state import Snapshot, TrainingState, capture, in_host_memory, is_finite, tensors_of
from attendo.training.step import Step, StepOutcome
from attendo.training.stop import Stop, Stopped

logger = logging.getLogger("attendo")

# How many steps a GPU may be ahead of what the host has read: reading a number makes the host wait.
STEPS_AHEAD = {"cpu": 1, "cuda": 16}
ALIKE_EVERY = 100  # steps: how often ranks make sure that they still have the same weights; before every save, too

# Scores by name, `loss` among them, and translations to show.
Validate = Callable[[nn.Module], tuple[dict[str, float], Sequence[TranslationSample]]]


@dataclass(frozen=True)
class PendingStep:
    """A step whose numbers the host has not read yet."""

    step: int
    work: Work
    learning_rate: float
    outcome: StepOutcome


@dataclass
class Loop:
    state: TrainingState
    training: TrainingConfig
    validation: ValidationConfig
    rate: Callable[[int], float]  # the learning rate of a step
    objective: Objective
    step: Step  # `train_step`, or the same as a CUDA graph
    validate: Validate | None
    checkpoints: Checkpoints | None  # None: nothing is saved
    fingerprint: Fingerprint
    callbacks: Sequence[Callback]  # called in this order
    stop: Stop
    ranks: Ranks = ALONE
    as_whole: Callable[[nn.Module], AbstractContextManager[nn.Module]] = nullcontext  # the model to look at
    unread: list[PendingStep] = field(default_factory=list)
    background: ThreadPoolExecutor = field(init=False)
    saving: Future[tuple[int, float]] | None = None  # the checkpoint that is being written
    clock: float = 0.0  # when the time of the unread steps began, waiting for data included

    def run(self, feed: Feed) -> None:
        """Until the end of training, or Stopped when asked to; either way the last state is saved."""
        self.state.model.train()
        self.clock = time.perf_counter()
        with ThreadPoolExecutor(1, "save") as self.background:
            try:
                self.go_on(iter(feed))
            finally:
                self.finish_saving()

    def go_on(self, work: Iterator[Work]) -> None:
        while True:
            self.validate_if_due()
            self.save_if_due()
            if self.is_over:
                return
            if code := self.ranks.highest(self.stop.exit_code or 0):
                self.leave(code)
            self.take_step(next(work))
            if self.state.progress.step % ALIKE_EVERY == 0:
                self.check_alike()
            if len(self.unread) >= STEPS_AHEAD.get(self.state.device.type, 1):
                self.read_steps()
            if self.saving and self.saving.done():
                self.finish_saving()

    @property
    def is_over(self) -> bool:
        return self.state.progress.is_over(self.training, self.validation)

    def take_step(self, work: Work) -> None:
        progress = self.state.progress
        step = progress.step + 1
        rate = self.rate(step)
        if type(rate) is not float or not 0 <= rate < math.inf:
            rate = as_rate(rate, step)
        outcome = self.update(work, rate)
        if self.state.average:
            self.state.average.update(self.state.model, step, outcome.finite)
        progress.step, progress.position = step, work.after
        self.unread.append(PendingStep(step, work, rate, outcome))

    def update(self, work: Work, rate: float) -> StepOutcome:
        """The update; where memory does not suffice, batches are halved from now on, once."""
        progress = self.state.progress
        try:
            return self.try_step(work, rate)
        except (RuntimeError, MemoryError) as error:
            if not is_out_of_memory(error):
                raise
            if progress.halved:
                raise TrainingError(
                    f"out of memory at step {progress.step + 1} even with halved batches: training.tokens_per_batch is "
                    f"{self.training.tokens_per_batch}; lower it, and raise training.accumulate instead"
                ) from error
            if self.ranks.world > 1:  # the others are in the midst of the step, which cannot begin anew
                raise TrainingError(
                    f"out of memory at step {progress.step + 1} on rank {self.ranks.rank}: training.tokens_per_batch "
                    f"is {self.training.tokens_per_batch}; lower it, and raise training.accumulate instead"
                ) from error
        # Outside the handler: the traceback it holds keeps the tensors of the failed step alive.
        progress.halved = True
        self.state.optimizer.zero_grad()
        if self.state.device.type == "cuda":
            torch.cuda.empty_cache()
        self.remark(f"out of memory at step {progress.step + 1}: every batch is computed in two halves from now on")
        return self.update(work, rate)

    def try_step(self, work: Work, rate: float) -> StepOutcome:
        batches = work.micro_batches
        if self.state.progress.halved:
            batches = [half for batch in batches for half in batch.halves()]
        return self.step(
            self.state.model, self.state.optimizer, batches, rate, self.objective,
            max_gradient_norm=self.training.max_gradient_norm, ranks=self.ranks,
        )  # fmt: skip

    def read_steps(self) -> None:
        """Read what the device has computed since the last time: to the callbacks, into the counts."""
        if not self.unread:
            return
        numbers = torch.stack([pending.outcome.numbers() for pending in self.unread]).tolist()
        seconds = time.perf_counter() - self.clock
        tokens = [pending.work.target_tokens for pending in self.unread]
        records = [
            StepRecord(
                step=pending.step,
                loss=loss,
                learning_rate=pending.learning_rate,
                gradient_norm=norm,
                target_tokens=count,
                target_tokens_per_second=sum(tokens) / seconds,
                padding=pending.work.padding,
                epoch=pending.work.first.epoch,
                batch=pending.work.first.batch,
                skipped=not finite,
            )
            for pending, (loss, norm, finite), count in zip(self.unread, numbers, tokens, strict=True)
        ]
        self.unread.clear()
        self.clock = time.perf_counter()
        self.state.progress.seconds += seconds
        for callback in self.callbacks:
            callback.on_steps(records)
        for record in records:
            self.count(record)

    def count(self, record: StepRecord) -> None:
        progress = self.state.progress
        progress.target_tokens += record.target_tokens
        if not record.skipped:
            progress.skipped_in_a_row = 0
            return
        progress.skipped += 1
        progress.skipped_in_a_row += 1
        what = "loss" if record.loss != record.loss or abs(record.loss) == float("inf") else "gradient"
        where = f"epoch {record.epoch}, batch {record.batch}"
        self.remark(f"step {record.step} ({where}): the {what} is not a finite number; its update was skipped")
        if progress.skipped_in_a_row >= self.training.max_skipped:
            self.give_up(
                f"{progress.skipped_in_a_row} updates in a row were skipped, up to step {record.step}, because loss or "
                f"gradient was no finite number",
                last_update=record.step - progress.skipped_in_a_row,
            )

    def give_up(self, why: str, last_update: int) -> NoReturn:
        """Weights are known to be good when an update could be made from them: those of the last update are not."""
        self.finish_saving()
        last = ""
        if self.checkpoints:
            steps = self.checkpoints.steps()
            good = [step for step in steps if step < last_update]
            if last_update in steps:
                never = InputError("its weights have given no finite loss")
                self.checkpoints.set_aside(self.checkpoints.path(last_update), never, good[-1] if good else None)
            last = f" The last good checkpoint: {self.checkpoints.path(good[-1]) if good else 'none yet'}."
        raise TrainingError(
            f"{why}.{last} A lower training.learning_rate or a longer training.warmup_steps usually helps"
        )

    def validate_if_due(self) -> None:
        progress = self.state.progress
        due = progress.step % self.validation.every == 0 or progress.step >= self.training.max_steps
        if self.validate is None or not due or progress.step in (0, progress.validated):
            return
        self.read_steps()
        for callback in self.callbacks:
            callback.on_validation_start(progress.step)
        average = self.state.average
        model = self.state.model
        try:
            with (
                average.applied_to(model) if average else nullcontext(),
                self.as_whole(model) as whole,
                evaluation_mode(whole),
                self.ranks.may_break_off(self.stop),
            ):
                validated = self.validate(whole)
        except Stopped as stopped:  # a resumed run will validate this step first
            self.leave(stopped.exit_code)
        if not (isinstance(validated, tuple) and len(validated) == 2 and isinstance(validated[0], Mapping)):
            raise TrainingError(f"validate gave {short_repr(validated)}: expected scores by name, and translations")
        scores, samples = self.ranks.told(dict(validated[0])), validated[1]
        if self.validation.metric not in scores:
            raise TrainingError(
                f"validation.metric = '{self.validation.metric}', but validation gives {', '.join(scores)}"
            )
        progress.history[progress.step] = scores[self.validation.metric]
        best = progress.best_step(self.validation) == progress.step
        record = ValidationRecord(progress.step, scores, best, samples)
        for callback in self.callbacks:
            callback.on_validation(record)
        self.clock = time.perf_counter()
        self.save()

    def save_if_due(self) -> None:
        progress = self.state.progress
        if progress.step % self.training.checkpoint_every == 0 or self.is_over:
            self.save()

    def save(self) -> None:
        """Begin to write the state in the background, from a copy.

        Not while updates are being skipped: weights that give no finite loss must not push out good ones.
        """
        self.read_steps()
        self.finish_saving()
        progress = self.state.progress
        if progress.step == 0 or progress.skipped_in_a_row > 0:
            return
        if self.ranks.told(self.checkpoints is not None and self.checkpoints.path(progress.step).exists()):
            return
        # An update of finite numbers can be too large for the weights.
        if self.ranks.highest(not is_finite(self.state)):
            self.give_up(f"after step {progress.step} some weights are no finite numbers", last_update=progress.step)
        self.check_alike()
        if self.ranks.told(self.checkpoints is not None):
            captured = [capture(self.state, self.ranks)]
            if self.checkpoints:
                self.saving = self.background.submit(write_captured, self.checkpoints, captured, self.fingerprint)

    def check_alike(self) -> None:
        """Ranks that have the same weights compute the same updates. One that has others is broken, and would spoil all
        it takes part in; so none of its checkpoints is written."""
        copies = {
            f"{kind} {name}": tensor
            for kind, tensors in zip(("weights", "optimiser", "average"), tensors_of(self.state), strict=True)
            for name, tensor in tensors.items()
            if not is_sharded(tensor)  # of which every rank has another part
        }
        if odd := self.ranks.first_that_differs(copies):
            raise TrainingError(
                f"after step {self.state.progress.step} the ranks disagree: {odd} is not the same on all of them; "
                f"memory or network of a machine may be broken. The same command resumes from the last checkpoint"
            )

    def finish_saving(self) -> None:
        """Wait until the checkpoint that is being written is there; then older ones may go."""
        if self.saving is None or self.checkpoints is None:
            return
        saving, self.saving = self.saving, None
        saved, seconds = saving.result()
        there = self.checkpoints.steps()
        scores = {step: score for step, score in self.state.progress.history.items() if step in there}
        best = self.validation.best(scores, self.training.keep_best)
        self.checkpoints.prune({*best, *there[-self.training.keep_last :]})
        record = CheckpointRecord(saved, seconds, self.checkpoints.path(saved))
        for callback in self.callbacks:
            callback.on_checkpoint(record)

    def leave(self, exit_code: int) -> NoReturn:
        self.save()
        self.finish_saving()
        # While updates are being skipped nothing is saved, so there the run goes back a little.
        start = "the last checkpoint" if self.state.progress.skipped_in_a_row else "here"
        resumed = f"; the same command resumes from {start}" if self.checkpoints else ""
        self.remark(f"stopped after step {self.state.progress.step}{resumed}")
        raise Stopped(exit_code)

    def remark(self, sentence: str) -> None:
        logger.warning(sentence)
        for callback in self.callbacks:
            callback.on_message(self.state.progress.step, sentence)


@contextmanager
def evaluation_mode(model: nn.Module) -> Iterator[None]:
    """No dropout inside the block; after it as it was."""
    training = model.training
    model.eval()
    try:
        yield
    finally:
        model.train(training)


def as_rate(given: object, step: int) -> float:
    """What a schedule gave that is no plain float above 0: a number of another kind, or no use as a rate."""
    try:
        rate = float(given)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError, RuntimeError):
        rate = math.nan
    if not 0 <= rate < math.inf:
        raise TrainingError(f"the schedule gave {short_repr(given)} for step {step}: expected a number, at least 0")
    return rate


def is_out_of_memory(error: BaseException) -> bool:
    """A GPU has an error of its own for it; the CPU's allocator tells it in words."""
    return isinstance(error, (torch.OutOfMemoryError, MemoryError)) or "can't allocate memory" in str(error)


def write_captured(checkpoints: Checkpoints, captured: list[Snapshot], fingerprint: Fingerprint) -> tuple[int, float]:
    """It is taken out of its list, so that a copy on a GPU is given up as soon as it is fetched."""
    return checkpoints.save(in_host_memory(captured.pop()), fingerprint)
