"""From a model and batches to a trained model: everything that a training needs, put together in this one place.

    machine > state > objective > step > feed > loop

`attendo train`, its dry run, the lab and the benchmarks all train by this class. It reads no recipe, writes nothing
but checkpoints, and only where it is given a folder for them; what it has to tell, callbacks and the logger get.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from pathlib import Path
from types import NoneType

import numpy as np
import torch
from torch import nn

from attendo.data.batch import Batch
from attendo.errors import ConfigError
from attendo.files.arguments import check_argument, check_path, check_several, wrong_argument
from attendo.model_folder.weights import weights_of
from attendo.training.average import MovingAverage
from attendo.training.callback import Callback, as_callbacks
from attendo.training.checkpoints import Checkpoints
from attendo.training.config import TrainingConfig, ValidationConfig
from attendo.training.device import Machine, choose_machine, set_up
from attendo.training.feed import BatchSource, Feed, Repeated
from attendo.training.fingerprint import check_same, check_same_run, fingerprint_of
from attendo.training.graphed import GraphedStep
from attendo.training.loop import Loop, Validate
from attendo.training.objective import Compiled, Objective, in_precision
from attendo.training.optimizer import build_optimizer, learning_rate
from attendo.training.progress import TrainingProgress
from attendo.training.ranks import ALONE, Ranks
from attendo.training.sharded import shard_
from attendo.training.state import NOTHING, TrainingState, restore
from attendo.training.step import Step, StepOutcome, train_step
from attendo.training.stop import Stop

Schedule = Callable[[int], float]  # the learning rate of a step; steps count from 1


class Trainer:
    """Trains a model, any `nn.Module`, in its place (on a GPU afterwards, if there is one).

    >>> from torch import nn
    >>> model = nn.Sequential(nn.Embedding(20, 16), nn.Linear(16, 20))
    >>> def objective(model, batch):
    ...     logits = model(batch.source)  # [batch, source, vocab]
    ...     return nn.functional.cross_entropy(logits.flatten(0, 1), batch.target_out.flatten(), reduction="sum")
    >>> batches = [attendo.Batch.from_pairs([([5, 6, 7], [5, 6, 7]), ([8, 9, 5], [8, 9, 5])])]
    >>> config = attendo.TrainingConfig(schedule="cosine", learning_rate=0.1, warmup_steps=5, max_steps=40)
    >>> attendo.Trainer(model, batches, objective, config).run().step
    40
    >>> objective(model, batches[0]).item() / batches[0].num_target_tokens < 0.1
    True

    `batches`: a list of `Batch`, anything else that gives them anew in every epoch, or a `Batches`.
    `objective(model, batch)`: a loss as a sum over the batch's real target tokens, such as `TeacherForcing()`.
    `validate(model)`: scores by name, `loss` or what `validation.metric` names among them, and translations to show.
    `checkpoints`: a folder; where one is given the state is saved there, and a later Trainer resumes from it.
    `schedule`: by default what `training.schedule` names.
    `machine`: what to compute on, where `choose_machine` is not to decide.
    `made_of`: what besides the settings must be as it was for a run to be resumed, hashes of the data say;
    `force` resumes even if it is not.
    `ranks`: the other processes that train the same model (`attendo.training.join`). All make the same Trainer; rank 0
    alone saves and calls back.

    First weights and dropout are drawn from torch's global generator: `torch.manual_seed` before the model is built
    makes a training repeatable.
    """

    def __init__(
        self,
        model: nn.Module,
        batches: BatchSource | Iterable[Batch],
        objective: Objective,
        training: TrainingConfig,
        validation: ValidationConfig | None = None,
        *,
        validate: Validate | None = None,
        callbacks: Sequence[Callback] = (),
        checkpoints: str | Path | None = None,
        schedule: Schedule | None = None,
        machine: Machine | None = None,
        made_of: Mapping[str, str] | None = None,
        force: bool = False,
        ranks: Ranks = ALONE,
    ) -> None:
        check_argument("model", model, nn.Module, "a torch.nn.Module")
        check_argument("training", training, TrainingConfig, "TrainingConfig")
        check_argument("force", force, bool, "True or False")
        for name, value, kind in (("validation", validation, ValidationConfig), ("machine", machine, Machine)):
            check_argument(name, value, (kind, NoneType), f"{kind.__name__}, or None")
        check_argument("made_of", made_of, (Mapping, NoneType), "texts by name, or None")
        for name, function in (("objective", objective), ("validate", validate), ("schedule", schedule)):
            if not callable(function) and (function is not None or name == "objective"):
                raise wrong_argument(name, function, "a function")
        if not isinstance(batches, BatchSource):
            check_several("batches", batches, "a list of Batch, or what else gives them in every epoch")
        if checkpoints is not None:
            check_path("checkpoints", checkpoints)
        check_argument("ranks", ranks, Ranks, "Ranks")
        self.ranks = ranks
        self.as_whole: Callable[[nn.Module], AbstractContextManager[nn.Module]] = nullcontext
        self.training, self.validation = training, validation or ValidationConfig()
        self.machine = ranks.placed(machine or choose_machine(training))
        set_up(self.machine)
        model = model.to(self.machine.device)
        ranks.hand_out_(weights_of(model).values() if ranks.world > 1 else ())  # the first weights are rank 0's
        if training.shard:
            self.as_whole = shard_(model).filled
        ranks.will_train(model)
        self.state = first_state(model, training)
        draw_apart(ranks, training.seed)
        self.schedule = schedule or schedule_of(model, training)
        lower = in_precision(objective, self.machine.device, self.machine.precision)
        self.objective = Compiled(lower) if self.machine.compiled else lower
        # Packed batches have one shape: on a GPU the step can be recorded, compiled or not; but not what FSDP2 does.
        graphed = self.machine.device.type == "cuda" and self.machine.packed and not training.shard
        self.step: Step = GraphedStep() if graphed else train_step
        self.batches = batches if isinstance(batches, BatchSource) else Repeated(batches)
        self.validate, self.callbacks = validate, tuple(as_callbacks(callbacks)) if ranks.is_first else ()
        self.fingerprint = fingerprint_of(made_of or {}, training, self.validation, self.machine, ranks.world)
        check_same_run(self.fingerprint, ranks)
        self.checkpoints = Checkpoints(Path(checkpoints)) if checkpoints and ranks.is_first else None
        if checkpoints:
            weights_of(model)  # an error where there is more than a checkpoint would hold
            self.resume(force)

    def resume(self, force: bool) -> None:
        """From the last checkpoint that is whole, if there is one; an error where it is of another run."""
        loaded = None
        if self.checkpoints:
            self.checkpoints.prepare()
            folder = self.checkpoints.folder.parent
            accept = partial(check_same, now=self.fingerprint, folder=folder, force=force)
            loaded = self.checkpoints.latest(self.state.model, accept)
        if self.ranks.told(loaded is not None):
            restore(self.state, loaded.snapshot if loaded else NOTHING, self.ranks)

    @property
    def is_over(self) -> bool:
        return self.state.progress.is_over(self.training, self.validation)

    def feed(self) -> Feed:
        """The work of one step after the other, from where the run is."""
        position, device = self.state.progress.position, self.machine.device
        return Feed(self.batches, position, self.training.accumulate, device, self.ranks)

    def update(self, micro_batches: Sequence[Batch], learning_rate: float) -> StepOutcome:
        """One bare update: no count, no checkpoint, no callback. For measuring; `run` is made of the same."""
        limit = self.training.max_gradient_norm
        model, optimizer = self.state.model, self.state.optimizer
        return self.step(
            model, optimizer, micro_batches, learning_rate, self.objective, max_gradient_norm=limit, ranks=self.ranks
        )

    def run(self, stop: Stop | None = None) -> TrainingProgress:
        """Until the last step. `stop` may ask for an end before it: then all is saved and `Stopped` is raised."""
        loop = Loop(
            state=self.state,
            training=self.training,
            validation=self.validation,
            rate=self.schedule,
            objective=self.objective,
            step=self.step,
            validate=self.validate,
            checkpoints=self.checkpoints,
            fingerprint=self.fingerprint,
            callbacks=self.callbacks,
            stop=stop or Stop(),
            ranks=self.ranks,
            as_whole=self.as_whole,
        )
        ended_by: BaseException | None = None
        try:
            for callback in self.callbacks:
                callback.on_start(self.state.progress.step, self.training.max_steps)
            with self.feed() as feed:
                loop.run(feed)
        except BaseException as error:
            ended_by = error
            raise
        finally:
            for callback in self.callbacks:
                callback.on_end(ended_by)
        return self.state.progress


def draw_apart(ranks: Ranks, seed: int) -> None:
    """Every rank drops other numbers. Rank 0 draws on as a process alone would."""
    if not ranks.is_first:
        torch.manual_seed(int(np.random.SeedSequence([seed, ranks.rank]).generate_state(1, np.uint64)[0]))


def first_state(model: nn.Module, training: TrainingConfig) -> TrainingState:
    average = MovingAverage(model, training.average_decay) if training.average_decay else None
    return TrainingState(model, build_optimizer(model, training), average, TrainingProgress())


def schedule_of(model: nn.Module, training: TrainingConfig) -> Schedule:
    """The paper's schedule needs the model's width, which a model of one's own may not tell."""
    d_model = getattr(getattr(model, "config", None), "d_model", 0)
    if training.schedule == "noam" and not d_model:
        raise ConfigError(
            f"schedule = noam in [training] needs model.config.d_model, which {type(model).__name__} does not have: "
            f"expected schedule = cosine, or a schedule of your own for the Trainer"
        )
    return partial(learning_rate, d_model=d_model, config=training)
