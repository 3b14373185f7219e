"""What a run is made of, and whether a checkpoint was made of the same."""

from collections.abc import Callable
from dataclasses import asdict

from attendo import __version__
from attendo.errors import TrainingError
from attendo.recipe.recipe import Recipe
from attendo.training.checkpoints import Origin
from attendo.training.device import Machine

# Settings that do not change what is learnt: a run may go on with others.
FREE = {
    "max_steps", "checkpoint_every", "keep_last", "keep_best", "max_skipped",
    "device", "precision", "compile", "threads", "tensorboard",
}  # fmt: skip


def origin_of(fingerprint: dict[str, str], recipe: Recipe, machine: Machine) -> Origin:
    training = recipe.training
    free = FREE - {"max_steps"} if training.schedule == "cosine" else FREE  # its curve ends at the last step
    settings = {f"training.{name}": str(value) for name, value in asdict(training).items() if name not in free}
    settings["validation.metric"] = recipe.validation.metric  # or scores of two kinds would be compared
    return Origin(must=fingerprint | settings, may={"attendo": __version__, **machine.to_dict()})


def differences(before: dict[str, str], now: dict[str, str]) -> list[str]:
    return [
        f"{name} ({before.get(name, 'nothing')[:40]} then, {now.get(name, 'nothing')[:40]} now)"
        for name in sorted(before | now)
        if before.get(name) != now.get(name)
    ]


def accept_same(now: Origin, folder: object, force: bool, say: Callable[[str], None]) -> Callable[[Origin], None]:
    """Refuses a checkpoint of other data, tokenizer, model or settings; remarks on another machine."""

    def accept(before: Origin) -> None:
        if other := differences(before.must, now.must):
            fixed = [name for name in other if name.startswith(("model.", "tokenizer"))]
            if fixed or not force:
                hint = "" if fixed else ", or --force to go on all the same"
                raise TrainingError(
                    f"the run in {folder} was made of something else: {'; '.join(other)}. Name another --run-dir{hint}"
                )
            say(f"going on although the run was made of something else: {'; '.join(other)}")
        if other := differences(before.may, now.may):
            say(f"not bit-identical with a run never stopped, because this differs: {'; '.join(other)}")

    return accept
