"""attendo.train: from a recipe to a model folder. The same call resumes where the last one stopped."""

import json
import logging
from collections.abc import Iterable, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from torch import Tensor, device

from attendo.data.prepare.datasets import OnProgress, no_progress
from attendo.errors import InputError
from attendo.files.arguments import as_list, check_argument, check_path, wrong_argument
from attendo.files.cache_folder import cache_folder
from attendo.files.durable import write_file
from attendo.inspection.agreement import FEWEST_PAIRS, choose_heads
from attendo.model.config import TransformerConfig, config_to_dict
from attendo.model.transformer import Transformer
from attendo.model_folder.bundle import read_bundle
from attendo.model_folder.bundle_writing import describe
from attendo.model_folder.optional_keys import AlignmentHeads
from attendo.model_folder.weights import give_weights_, on_meta, save_model, weights_of
from attendo.recipe.read import read_recipe
from attendo.recipe.recipe import Recipe
from attendo.recipe.write import recipe_to_toml
from attendo.report.language import Language, in_language
from attendo.runs.advice import advise, facts_of
from attendo.runs.build_trainer import build_trainer
from attendo.runs.model_card import model_card
from attendo.runs.prepare import Prepared, prepare
from attendo.runs.run_folder import RunFolder, describe_environment
from attendo.runs.run_page import write_report
from attendo.runs.tensorboard import TensorBoard
from attendo.training.callback import Callback, as_callbacks
from attendo.training.checkpoints import Checkpoints
from attendo.training.join import joined
from attendo.training.log import RunLog, read_log
from attendo.training.progress import TrainingProgress
from attendo.training.ranks import ALONE, Ranks
from attendo.training.stop import Stop, Stopped
from attendo.training.trainer import Trainer

logger = logging.getLogger("attendo")


@dataclass(frozen=True)
class TrainingResult:
    """What came of a call of `train`. A run that was stopped is saved: the same call resumes it."""

    run_dir: Path
    model: Path  # the model folder; it is there once the run has finished
    finished: bool
    step: int  # the last that was done
    best_step: int | None = None  # the validated step with the best score, and that score, if any was validated
    best_score: float | None = None  # of the recipe's validation.metric
    exit_code: int = 0  # of a command that ends so: 130 or 143 if a signal stopped the run


def train(
    recipe: Recipe | str | Path,
    run_dir: str | Path,
    *,
    settings: Iterable[str] = (),
    callbacks: Iterable[Callback] = (),
    force: bool = False,
    command: str = "",
    beside: Path | None = None,
    on_progress: OnProgress = no_progress,
    stop: Stop | None = None,
    language: Language = "en",
) -> TrainingResult:
    """Train a model from a recipe, a `Recipe` or the path of its file, in the folder `run_dir`.

    >>> few = ["training.max_steps=4", "training.warmup_steps=1", "training.tokens_per_batch=400", "validation.every=4"]
    >>> result = attendo.train("recipes/reverse.toml", run_dir="runs/reverse", settings=few)
    >>> result.finished, result.step, result.model.name
    (True, 4, 'model')

    `settings` are as with --set: TABLE.KEY=VALUE. `callbacks` are called at every step, validation and checkpoint.
    `force` resumes a run although its data or settings have changed. `command` is what the report gives as the way
    to do it again, `beside` the folder whose git commit is noted. `on_progress` gets how many pairs of a corpus were
    read while the data is prepared. The first Ctrl-C saves the run and ends it (in the main thread, where Python
    handles signals); `stop` is there for a caller with a way of its own. `language` is that of report.html: en or zh.
    """
    check_path("run_dir", run_dir)
    if run_dir == "":  # which would be the current folder
        raise wrong_argument("run_dir", run_dir, "a folder")
    settings = as_list("settings", settings, "a list of TABLE.KEY=VALUE")
    for setting in settings:
        check_argument("a setting", setting, str, "TABLE.KEY=VALUE")
    callbacks = as_callbacks(callbacks)
    check_argument("force", force, bool, "True or False")
    check_argument("command", command, str, "a text")
    if not isinstance(language, str) or language not in ("en", "zh"):
        raise wrong_argument("language", language, "en or zh")
    if not callable(on_progress):
        raise wrong_argument("on_progress", on_progress, "a function")
    if stop is not None:
        check_argument("stop", stop, Stop, "a Stop, or None")
    if beside is not None:
        check_path("beside", beside)
    if not isinstance(recipe, Recipe):
        check_path("recipe", recipe, ", or a Recipe")
        beside = beside or Path(recipe).resolve().parent
        command = command or f"attendo.train({str(recipe)!r}, run_dir={str(run_dir)!r}, settings={settings!r})"
        recipe = read_recipe(Path(recipe), settings)
    elif settings:
        raise InputError("settings change the file of a recipe: expected none beside a Recipe that was read already")
    folder = RunFolder(Path(run_dir))
    run: TrainingRun | None = None
    try:
        with (
            Stop() if stop is None else nullcontext(stop) as stop,
            joined(recipe.training.device) as ranks,
            folder.locked() if ranks.is_first else nullcontext(),
        ):
            with stop.at_once():  # nothing is lost yet
                run = begin(recipe, folder, callbacks, force, on_progress, ranks)
            if ranks.told(ranks.is_first and run.is_finished):
                logger.info("this run is finished: %s", folder.model)
                return run.result(finished=True)
            if ranks.is_first:
                run.describe(beside or Path.cwd())
                run.warn()
            run.trainer.run(stop)
            if ranks.is_first:
                run.finish(command, language)
    except Stopped as stopped:
        if run is None:
            return TrainingResult(folder.path, folder.model, finished=False, step=0, exit_code=stopped.exit_code)
        return run.result(finished=False, exit_code=stopped.exit_code)
    logger.info("done: %s", folder.model)
    return run.result(finished=True)


def begin(
    recipe: Recipe,
    folder: RunFolder,
    callbacks: Sequence[Callback],
    force: bool,
    on_progress: OnProgress,
    ranks: Ranks = ALONE,
) -> "TrainingRun":
    """Read the data, build the model, and take up the last checkpoint if there is one."""
    if ranks.is_first:
        Checkpoints(folder.checkpoints).prepare()  # a folder that cannot be written is told before the data is read
    with ranks.in_turn():
        prepared = prepare(recipe, cache_folder(), on_progress)
    log = RunLog(folder.log)
    board = [TensorBoard(folder.tensorboard)] if recipe.training.tensorboard and ranks.is_first else []
    every = [log, *callbacks, *board]
    trainer = build_trainer(recipe, prepared, callbacks=every, checkpoints=folder.checkpoints, force=force, ranks=ranks)
    return TrainingRun(recipe, folder, prepared, trainer, log)


@dataclass(frozen=True)
class TrainingRun:
    """All the parts of a run in a folder, ready to go."""

    recipe: Recipe
    folder: RunFolder
    prepared: Prepared
    trainer: Trainer
    log: RunLog

    @property
    def progress(self) -> TrainingProgress:
        return self.trainer.state.progress

    @property
    def is_finished(self) -> bool:
        """All steps were done, and the model that came of them is whole."""
        if not self.trainer.is_over:
            return False
        try:
            read_bundle(self.folder.model)
        except InputError:
            return False
        return True

    def result(self, finished: bool, exit_code: int = 0) -> TrainingResult:
        best = self.progress.best_step(self.recipe.validation) or None
        score = self.progress.history[best] if best else None
        return TrainingResult(self.folder.path, self.folder.model, finished, self.progress.step, best, score, exit_code)

    def describe(self, beside: Path) -> None:
        """What the run is, written before its first step; `beside`: where the recipe lies."""
        write_file(self.folder.recipe, recipe_to_toml(self.recipe).encode())
        table, code_before = describe_environment(self.trainer.machine, beside), self.folder.code()
        write_file(self.folder.environment, (json.dumps(table, indent=2) + "\n").encode())
        self.prepared.tokenizer.save(self.folder.tokenizer)
        directions = self.recipe.data.parsed_directions()
        model, tokenizer, path = config_to_dict(self.prepared.model), self.prepared.tokenizer, self.folder.config
        write_file(path, describe(model, tokenizer, directions, path, stand_ins=self.prepared.stand_ins))
        step = self.progress.step
        self.log.trim(step, self.progress.validated)
        if step:
            self.log.write({"step": step, "event": "resumed", "text": f"resumed after step {step}"})
        if step and code_before != (code := table["attendo_code"]):
            changed = (
                f"attendo's code is another than before step {step} ({code_before} then, {code} now): bits may differ"
            )
            logger.warning(changed)
            self.log.on_message(step, changed)

    def warn(self) -> None:
        """In one line, where a run that begins will very likely come to nothing."""
        facts = facts_of(self.recipe, self.prepared, on_cpu=self.trainer.machine.device.type == "cpu")
        grave = [advice.text for advice in advise(facts) if advice.grave]
        if grave and self.progress.step == 0:
            logger.warning("%s. --dry-run tells more", ". ".join(grave))

    def finish(self, command: str, language: Language = "en") -> None:
        """The model with the best validation, and the report."""
        step = self.best_whole_step()
        model = on_meta(self.prepared.model)
        weights = Checkpoints(self.folder.checkpoints).weights(step, model)
        parameters = sum(weight.numel() for weight in weights_of(model).values())
        card = model_card(self.recipe, self.prepared, self.progress, f"step {step}", parameters)
        directions, tokenizer = self.recipe.data.parsed_directions(), self.prepared.tokenizer
        stand_ins, alignment = (
            self.prepared.stand_ins,
            alignment_of(self.prepared, weights, self.trainer.machine.device),
        )
        save_model(
            self.folder.model, model, weights, tokenizer, directions, card, stand_ins=stand_ins, alignment=alignment
        )
        self.report(step, parameters, command, language)

    def best_whole_step(self) -> int:
        """The best that is on the disk and not damaged; without a validation, the last."""
        checkpoints = Checkpoints(self.folder.checkpoints)
        steps = checkpoints.steps()
        scores = {step: score for step, score in self.progress.history.items() if step in steps}
        for step in [*self.recipe.validation.best(scores, len(scores)), *reversed(steps)]:
            if checkpoints.is_whole(step):
                return step
        raise InputError(f"no checkpoint in {self.folder.checkpoints} is whole")

    def report(self, step: int, parameters: int, command: str, language: Language) -> None:
        progress, metric, tr = self.progress, self.recipe.validation.metric, in_language(language)
        learned = ", ".join(name for name, _ in self.recipe.data.learned())
        best, minutes = tr("not validated", "未验证"), f"{progress.seconds / 60:.1f}"
        if step in progress.history:
            score = f"{progress.history[step]:.4g}"
            best = tr(f"{score} at step {step}", f"{score}（第 {step} 步）")
        write_report(
            self.folder.report,
            title=f"{self.folder.path.name}: {learned}",
            command=command,
            recipe_toml=recipe_to_toml(self.recipe),
            environment=json.loads(self.folder.environment.read_text(encoding="utf-8")),
            log=read_log(self.folder.log),
            summary={
                tr(f"best {metric}", f"最佳 {metric}"): best,
                tr("steps", "步数"): f"{progress.step:,}",
                tr("target tokens", "目标词元"): f"{progress.target_tokens:,}",
                tr("time on steps", "训练用时"): tr(f"{minutes} minutes", f"{minutes} 分钟"),
                tr("parameters", "参数量"): f"{parameters:,}",
                tr("updates skipped", "跳过的更新"): str(progress.skipped),
                tr("vocabulary", "词表大小"): f"{self.prepared.tokenizer.vocab_size:,}",
            },
            language=language,
        )


def alignment_of(prepared: Prepared, weights: Mapping[str, Tensor], device: device) -> AlignmentHeads | None:
    """The heads that tell what a word was made from, by the validation pairs; None if they cannot be told."""
    if not isinstance(prepared.model, TransformerConfig):
        return None
    known = {(one.source, one.target) for one in prepared.validation}
    pairs: dict[tuple[str, str], list[tuple[str, str]]] = {}
    for one in prepared.validation:
        if (one.target, one.source) in known and one.source < one.target:
            pairs[one.source, one.target] = [(pair.source, pair.target) for pair in one.pairs]
    if sum(map(len, pairs.values())) < FEWEST_PAIRS:
        return None
    model = on_meta(prepared.model)
    give_weights_(model, {name: weight.detach().to(device, copy=True) for name, weight in weights.items()})
    return choose_heads(cast(Transformer, model.eval()), prepared.tokenizer, pairs)
