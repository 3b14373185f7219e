"""What is known of a run right now. Noting a step costs next to nothing; the sums are made by whoever looks."""

import math
from collections import deque
from collections.abc import Callable, Sequence

from attendo.training.callback import StepRecord, TranslationSample, ValidationRecord

RECENT_STEPS = 1_000  # enough to hold validations and checkpoints, which take their time too
CURVE_POINTS = 32


class Smoothed:
    """A moving average in which the first values weigh fully (as in Adam); what is no finite number is left out."""

    def __init__(self, decay: float = 0.98) -> None:
        self.decay = decay
        self.total = self.weight = 0.0

    def add(self, value: float) -> None:
        if math.isfinite(value):
            self.total = self.decay * self.total + (1 - self.decay) * value
            self.weight = self.decay * self.weight + (1 - self.decay)

    @property
    def value(self) -> float:
        return self.total / self.weight if self.weight else math.nan


class ThinCurve:
    """A series of any length in few points, each the mean of equally many values; their number doubles when full."""

    def __init__(self) -> None:
        self.points: list[float] = []
        self.values_a_point = 1
        self.total, self.count = 0.0, 0

    def add(self, value: float) -> None:
        if not math.isfinite(value):
            return
        self.total += value
        self.count += 1
        if self.count < self.values_a_point:
            return
        points = [*self.points, self.total / self.count]
        self.total, self.count = 0.0, 0
        if len(points) == 2 * CURVE_POINTS:
            points = [(a + b) / 2 for a, b in zip(points[::2], points[1::2], strict=True)]
            self.values_a_point *= 2
        self.points = points  # a new list each time: another thread may be drawing the old one


class LiveStatus:
    """The clock gives seconds; `start_step` is the last step of the runs before this one."""

    def __init__(self, max_steps: int, start_step: int, clock: Callable[[], float]) -> None:
        self.max_steps, self.start_step, self.clock = max_steps, start_step, clock
        self.started = clock()
        self.step_times: deque[float] = deque(maxlen=RECENT_STEPS)
        self.last: StepRecord | None = None
        self.loss, self.speed, self.loss_curve = Smoothed(), Smoothed(0.9), ThinCurve()
        self.skipped, self.last_skipped = 0, 0
        self.validating_since: float | None = None
        self.validation: ValidationRecord | None = None
        self.best: ValidationRecord | None = None
        self.validated_at = 0.0
        self.samples: Sequence[TranslationSample] = ()
        self.saved_step: int | None = None
        self.saved_at = self.saved_seconds = 0.0
        self.ended = ""

    def note_step(self, record: StepRecord) -> None:
        self.step_times.append(self.clock())
        self.last = record
        self.speed.add(record.target_tokens_per_second)
        if record.skipped:
            self.skipped += 1
            self.last_skipped = record.step
        else:
            self.loss.add(record.loss)
            self.loss_curve.add(record.loss)

    def note_validation(self, record: ValidationRecord) -> None:
        self.validation, self.validated_at, self.validating_since = record, self.clock(), None
        if record.best:
            self.best = record
        if record.samples:
            self.samples = tuple(record.samples)

    def note_saved(self, step: int, seconds: float) -> None:
        self.saved_step, self.saved_at, self.saved_seconds = step, self.clock(), seconds

    @property
    def step(self) -> int:
        return self.last.step if self.last else self.start_step

    def since(self, moment: float) -> float:
        return self.clock() - moment

    @property
    def seconds_left(self) -> float:
        """By the speed of recent steps, validations and checkpoints between them included."""
        times = self.step_times
        if len(times) < 2:
            return math.nan
        return (self.max_steps - self.step) * (times[-1] - times[0]) / (len(times) - 1)
