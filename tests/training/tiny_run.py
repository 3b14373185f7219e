"""A run that takes a second and has everything: dropout, BPE-dropout, accumulation, a moving average, validation."""

import io
import logging
from contextlib import contextmanager
from pathlib import Path

from rich.console import Console

from attendo.files.tensor_file import read_header
from attendo.recipe.recipe import Recipe, recipe_from_dict
from attendo.runs.live_view import TrainingScreen
from attendo.runs.train import train
from attendo.training.checkpoints import Checkpoints
from attendo.training.log import read_log
from attendo.training.stop import Stop

STEPS = 24

RECIPE = {
    "data": {
        "languages": ["abc", "cba"],
        "directions": ["abc-cba"],
        "held_out": 0.1,
        "corpora": [{"task": "reverse", "pairs": 600, "longest": 6, "letters": 5}],
    },
    "tokenizer": {"kind": "bpe", "vocab_size": 300, "bpe_dropout": 0.2},
    "model": {
        "family": "transformer", "d_model": 16, "d_ff": 32, "num_heads": 2,
        "encoder_layers": 1, "decoder_layers": 1, "dropout": 0.1,
    },
    "training": {
        "max_steps": STEPS, "tokens_per_batch": 200, "accumulate": 2, "schedule": "cosine", "learning_rate": 1e-2,
        "warmup_steps": 4, "average_decay": 0.9, "checkpoint_every": 3, "threads": 1, "device": "cpu",
    },
    "validation": {"every": 5, "metric": "loss", "max_pairs": 4},
}  # fmt: skip


def tiny_recipe(**changes) -> Recipe:
    """tiny_recipe(training={"max_steps": 9}): the tables above with some keys changed."""
    tables = {name: {**table, **changes.get(name, {})} for name, table in RECIPE.items()}
    return recipe_from_dict(tables)


def run(folder: Path, recipe: Recipe | None = None, *, force: bool = False) -> tuple[int, str]:
    """Train in this process as the command line does; the exit code, and what a person reads."""
    output = io.StringIO()
    screen = TrainingScreen(Console(file=output, width=200), folder.name)
    with logged_to(output), Stop(ends_process=True) as stop, screen:
        result = train(recipe or tiny_recipe(), folder, callbacks=[screen], force=force, stop=stop)
    return result.exit_code, output.getvalue()


@contextmanager
def logged_to(output: io.StringIO):
    """As the command line writes it."""
    handler = logging.StreamHandler(output)
    handler.setFormatter(logging.Formatter("attendo: %(message)s"))
    logger = logging.getLogger("attendo")
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


def result(folder: Path) -> dict:
    """All that two runs must have in common to be the same run, to the bit."""
    checkpoints = Checkpoints(folder / "checkpoints")
    last = checkpoints.path(checkpoints.steps()[-1])
    tensors = {path.name: tensor_bytes(path) for path in sorted(last.glob("*.safetensors"))}
    log = read_log(folder / "log.jsonl")
    steps = [(one["step"], one["loss"], one["learning_rate"], one["gradient_norm"]) for one in log if "loss" in one]
    validations = [(one["step"], one["validation"], one["samples"]) for one in log if "validation" in one]
    model = (folder / "model" / "model.safetensors").read_bytes()
    return {"last": last.name, "tensors": tensors, "steps": steps, "validations": validations, "model": model}


def tensor_bytes(path: Path) -> dict[str, bytes]:
    """By name: the order in which tensors stand in a file is the library's business."""
    raw = path.read_bytes()
    begin = 8 + int.from_bytes(raw[:8], "little")
    return {name: raw[begin + info.start : begin + info.end] for name, info in read_header(path).items()}
