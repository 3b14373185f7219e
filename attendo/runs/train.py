"""attendo train, from a recipe to a model folder. The same call goes on where the last one stopped."""

import json
import shlex
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console

from attendo.errors import InputError
from attendo.files.durable import write_file
from attendo.model.config import config_to_dict
from attendo.model_folder.bundle import describe, read_bundle
from attendo.model_folder.checkpoint import save_model, weights_of
from attendo.recipe.recipe import Recipe
from attendo.recipe.write import recipe_to_toml
from attendo.runs.assemble import build_state, graphed_step, training_batches, training_objective, transform
from attendo.runs.environment import environment
from attendo.runs.live_view import LiveView
from attendo.runs.model_card import model_card
from attendo.runs.origin import accept_same, origin_of
from attendo.runs.prepare import Prepared
from attendo.runs.prepare_shown import prepare_shown
from attendo.runs.run_folder import RunFolder
from attendo.runs.run_page import write_report
from attendo.runs.tensorboard import TensorBoard
from attendo.runs.validate import build_validation
from attendo.training.checkpoints import Checkpoints, Origin
from attendo.training.device import Machine, choose_machine, set_up
from attendo.training.feed import Feed
from attendo.training.log import RunLog, read_log
from attendo.training.loop import Loop
from attendo.training.optimizer import learning_rate
from attendo.training.state import TrainingState, restore
from attendo.training.stop import Stop, Stopped
from attendo.training.watch import Watcher, Watchers


@dataclass(frozen=True)
class Call:
    """One call of `attendo train`: what to do, where, and who is told."""

    recipe: Recipe
    recipe_file: Path
    folder: RunFolder
    command: Sequence[str]  # as it was typed, for the report
    console: Console  # of stderr
    force: bool = False
    watchers: Sequence[Watcher] = ()  # besides the screen

    def say(self, sentence: str) -> None:
        self.console.print(f"attendo: {sentence}", markup=False, highlight=False, soft_wrap=True)


def train(call: Call) -> int:
    """The exit code: 0, or that of the signal that stopped the run after it was saved."""
    try:
        with Stop() as stop, call.folder.locked():
            with stop.at_once():  # nothing is lost yet
                run = begin(call)
            if run.is_finished:
                call.say(f"this run is finished: {call.folder.model}")
                return 0
            run.loop(stop)
            run.finish()
    except Stopped as stopped:
        return stopped.exit_code
    call.say(f"done: {call.folder.model}")
    return 0


def begin(call: Call) -> "Run":
    """Read the data, build the model, and take up the last checkpoint if there is one."""
    checkpoints = Checkpoints(call.folder.checkpoints, call.say)
    checkpoints.prepare()
    prepared = prepare_shown(call.recipe, call.console, call.say)
    machine = choose_machine(call.recipe.training, prepared.model)
    set_up(machine)
    state = build_state(call.recipe, prepared.model, machine)
    origin = origin_of(prepared.fingerprint, call.recipe, machine)
    run = Run(call, prepared, machine, state, checkpoints, origin)
    run.resume()
    return run


@dataclass(frozen=True)
class Run:
    """All the parts of a run, ready to go."""

    call: Call
    prepared: Prepared
    machine: Machine
    state: TrainingState
    checkpoints: Checkpoints
    origin: Origin

    @property
    def recipe(self) -> Recipe:
        return self.call.recipe

    @property
    def folder(self) -> RunFolder:
        return self.call.folder

    def resume(self) -> None:
        accept = accept_same(self.origin, self.folder.path, self.call.force, self.call.say)
        found = self.checkpoints.latest(self.state.model, accept)
        if found:
            restore(self.state, found.snapshot)

    @property
    def is_finished(self) -> bool:
        """All steps were done, and the model that came of them is whole."""
        if not self.state.progress.is_over(self.recipe.training, self.recipe.validation):
            return False
        try:
            read_bundle(self.folder.model)
        except InputError:
            return False
        return True

    def loop(self, stop: Stop) -> None:
        self.describe()
        progress = self.state.progress
        log = RunLog(self.folder.log)
        log.trim(progress.step, progress.validated)
        if progress.step:
            log.write({"step": progress.step, "event": "resumed", "text": f"went on from step {progress.step}"})
        training = self.recipe.training
        d_model = self.prepared.model.d_model
        batches = training_batches(self.recipe, self.prepared, self.machine)
        feed = Feed(
            batches, progress.position, training.accumulate, self.machine.device,
            transform(training, self.prepared),
        )  # fmt: skip
        validate = build_validation(self.recipe, self.prepared, self.machine)
        with ExitStack() as stack:
            stack.callback(log.close)
            live = LiveView(self.call.console, training.max_steps, progress.step, self.folder.path.name)
            watchers: list[Watcher] = [stack.enter_context(live), *self.call.watchers]
            if training.tensorboard:
                watchers.append(stack.enter_context(TensorBoard(self.folder.path / "tensorboard", progress.step)))
            loop = Loop(
                state=self.state,
                training=training,
                validation=self.recipe.validation,
                rate=lambda step: learning_rate(step, d_model, training),
                objective=training_objective(training, self.prepared.model, self.machine, self.call.say),
                validate=validate,
                checkpoints=self.checkpoints,
                origin=self.origin,
                log=log,
                watcher=Watchers(watchers),
                stop=stop,
                graphed=graphed_step(self.machine, self.call.say),
            )
            loop.run(stack.enter_context(feed))

    def describe(self) -> None:
        """What the run is, written before its first step."""
        write_file(self.folder.recipe, recipe_to_toml(self.recipe).encode())
        table = environment(self.machine, self.call.recipe_file.parent)
        write_file(self.folder.environment, (json.dumps(table, indent=2) + "\n").encode())
        self.prepared.tokenizer.save(self.folder.tokenizer)
        directions = self.recipe.data.parsed_directions()
        model = config_to_dict(self.prepared.model)
        write_file(self.folder.config, describe(model, self.prepared.tokenizer, directions, self.folder.config))

    def finish(self) -> None:
        """The model with the best validation, and the report."""
        progress = self.state.progress
        step = self.best_whole_step()
        model = self.state.model
        weights = self.checkpoints.weights(step, model)
        parameters = sum(weight.numel() for weight in weights_of(model).values())
        card = model_card(self.recipe, self.prepared, progress, f"step {step}", parameters)
        directions = self.recipe.data.parsed_directions()
        save_model(self.folder.model, model, weights, self.prepared.tokenizer, directions, card)
        self.report(step, parameters)

    def best_whole_step(self) -> int:
        """The best that is on the disk and not damaged; without a validation, the last."""
        steps = self.checkpoints.steps()
        scores = {step: score for step, score in self.state.progress.history.items() if step in steps}
        for step in [*self.recipe.validation.best(scores, len(scores)), *reversed(steps)]:
            if self.checkpoints.is_whole(step):
                return step
        raise InputError(f"no checkpoint in {self.folder.checkpoints} is whole")

    def report(self, step: int, parameters: int) -> None:
        progress = self.state.progress
        directions = ", ".join(self.recipe.data.directions)
        metric = self.recipe.validation.metric
        best = f"{progress.history[step]:.4g} at step {step}" if step in progress.history else "not validated"
        write_report(
            self.folder.report,
            title=f"{self.folder.path.name}: {directions}",
            command=shlex.join(self.call.command),
            recipe_toml=recipe_to_toml(self.recipe),
            environment=json.loads(self.folder.environment.read_text(encoding="utf-8")),
            log=read_log(self.folder.log),
            summary={
                f"best {metric}": best,
                "steps": f"{progress.step:,}",
                "target tokens": f"{progress.target_tokens:,}",
                "time on steps": f"{progress.seconds / 60:.1f} minutes",
                "parameters": f"{parameters:,}",
                "updates skipped": str(progress.skipped),
                "vocabulary": f"{self.prepared.tokenizer.vocab_size:,}",
            },
        )
