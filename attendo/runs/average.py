"""attendo average: the mean of a run's checkpoints, as a model folder."""

from collections.abc import Sequence
from pathlib import Path

from attendo import __version__
from attendo.errors import InputError
from attendo.files.manifest import check_manifest
from attendo.files.source_code import package_code
from attendo.files.tables import from_dict
from attendo.model.config import config_from_dict
from attendo.model_folder.bundle import CONFIG, read_description
from attendo.model_folder.weights import on_meta, save_model
from attendo.runs.run_folder import RunFolder
from attendo.text.tokenizer import Tokenizer
from attendo.training.average import mean_weights
from attendo.training.checkpoints import AVERAGE, FILES, Checkpoints, read_state
from attendo.training.config import ValidationConfig


def average_run(folder: RunFolder, out: Path, *, last: int | None, best: int | None) -> list[int]:
    """The steps that were averaged. Damaged checkpoints are an error here: a mean of fewer would be another model."""
    description = read_description(folder.config)
    checkpoints = Checkpoints(folder.checkpoints)
    steps = choose_steps(checkpoints, last, best)
    model = on_meta(config_from_dict(description.model))
    weights = mean_weights(checkpoints.raw_weights(step, model) for step in steps)
    card = average_card(folder, steps, description.directions, description.languages)
    tokenizer, stand_ins = Tokenizer.load(folder.tokenizer), description.stand_ins
    # The heads that were chosen when the run ended: the mean of its steps has the same.
    ended = read_description(folder.model / CONFIG) if (folder.model / CONFIG).is_file() else description
    save_model(
        out, model, weights, tokenizer, description.directions, card, stand_ins=stand_ins, alignment=ended.alignment
    )
    return steps


def choose_steps(checkpoints: Checkpoints, last: int | None, best: int | None) -> list[int]:
    there = checkpoints.steps()
    if not there:
        raise InputError(f"{checkpoints.folder} holds no checkpoints: expected the folder of a run that has saved some")
    if best is not None:
        progress, _, fingerprint = read_state(checkpoints.path(there[-1]))
        scores = {step: score for step, score in progress.history.items() if step in there}
        table = {"metric": fingerprint.required.get("validation.metric", "loss")}
        there = from_dict(ValidationConfig, table, "state.json").best(scores, len(scores))[::-1]
    count = len(there) if last is None and best is None else last or best or 0
    if count > len(there):
        kind = "validated checkpoints" if best is not None else "checkpoints"
        setting = "keep_best" if best is not None else "keep_last"
        asked = f"{len(there)} {kind}, {count} are asked for"
        kept = f"training.{setting} of the recipe says how many a run keeps"
        raise InputError(f"{checkpoints.folder} holds {asked}: {kept}")
    steps = sorted(there[-count:])
    for step in steps:
        check_manifest(checkpoints.path(step), FILES, [AVERAGE])
    return steps


def average_card(
    folder: RunFolder, steps: Sequence[int], directions: Sequence[tuple[str, str]], languages: Sequence[str]
) -> str:
    """What the mean is of; the recipe tells the rest."""
    heading = ", ".join(f"{source} → {target}" for source, target in directions) or ", ".join(languages)
    code = f"attendo {__version__} (code {package_code()})"
    return (
        f"# {heading}\n\nThe mean of the weights at steps {', '.join(map(str, steps))} of one run, made by {code}.\n"
        f"How it was trained:\n\n```toml\n{folder.recipe.read_text(encoding='utf-8')}```\n"
    )
