"""What recipes/starter.toml makes of 20,000 pairs on a CPU: minutes and BLEU, from the commands that a user types.

python -m benchmarks.starter                                    the recipe as it stands
python -m benchmarks.starter --pair zh-en
python -m benchmarks.starter --seconds 380 --variants mid rotary  other settings, each trained for as long

The pairs are the first 20,000 of Tatoeba, the test set is its own. Preparing the data and validating are part of the
minutes; nothing is taken from the cache.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

from attendo.data.corpus import CorpusFile
from attendo.data.lines import ignore
from attendo.recipe.read import read_recipe
from attendo.runs.build_trainer import build_trainer
from attendo.runs.dry_run import measure
from attendo.runs.prepare import prepare
from benchmarks.machine import ROOT, data_folder, describe_machine

RECIPE = ROOT / "recipes" / "starter.toml"
PAIRS = 20_000

# Where the search for the settings began, and what was tried from there.
MID = {"model.dropout": 0.2, "model.positions": "sinusoidal", "tokenizer.vocab_size": 6000}
VARIANTS: dict[str, dict[str, object]] = {
    "recipe": {},
    "mid": MID,
    "dropout 0.1": MID | {"model.dropout": 0.1},
    "dropout 0.3": MID | {"model.dropout": 0.3},
    "rotary": MID | {"model.positions": "rotary"},
    "vocabulary 3000": MID | {"tokenizer.vocab_size": 3000},
    "vocabulary 10000": MID | {"tokenizer.vocab_size": 10000},
    "1000 tokens": MID | {"training.tokens_per_batch": 1000, "training.learning_rate": 1.5e-3},
    "4000 tokens": MID | {"training.tokens_per_batch": 4000, "training.learning_rate": 3e-3},
    "multi30k": MID
    | {"model.d_model": 128, "model.d_ff": 256, "model.encoder_layers": 4, "model.decoder_layers": 4}
    | {"model.dropout": 0.1},
    "wide": MID
    | {"model.d_model": 384, "model.d_ff": 768, "model.num_heads": 6, "model.dropout": 0.3}
    | {"training.learning_rate": 1.5e-3},
    "4 and 2 layers": MID | {"model.encoder_layers": 4, "model.decoder_layers": 2},
    "average": MID | {"training.average_decay": 0.998},
    "bpe dropout": MID | {"tokenizer.bpe_dropout": 0.1},
    "r-drop": MID | {"training.r_drop": 3.0},
    "both directions": MID | {"both": True},
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pair", default="de-en", choices=["de-en", "zh-en"])
    parser.add_argument("--variants", nargs="+", default=["recipe"], choices=list(VARIANTS), metavar="NAME")
    parser.add_argument("--seconds", type=float, help="train for so long instead of the recipe's steps")
    options = parser.parse_args()
    print(f"<!-- python -m benchmarks.starter; {describe_machine()} -->\n", flush=True)
    print("| settings | steps | minutes | BLEU |\n|---|---:|---:|---:|", flush=True)
    for name in options.variants:
        with tempfile.TemporaryDirectory() as folder:
            os.environ["ATTENDO_CACHE"] = f"{folder}/cache"
            settings = settings_of(VARIANTS[name], options.pair, Path(folder))
            if options.seconds:
                settings.append(f"training.max_steps={steps_in(options.seconds, settings, Path(folder))}")
            started = time.perf_counter()
            run = Path(folder) / "run"
            attendo("train", str(RECIPE), "--run-dir", str(run), *(word for one in settings for word in ("--set", one)))
            minutes = (time.perf_counter() - started) / 60
            steps = read_recipe(run / "recipe.toml").training.max_steps
            print(f"| {name} | {steps:,} | {minutes:.1f} | {bleu(run / 'model', options.pair):.1f} |", flush=True)


def settings_of(changes: dict[str, object], pair: str, folder: Path) -> list[str]:
    """As a user would set them, with the pairs in a file of the folder."""
    corpus = CorpusFile(data_folder() / pair / "tatoeba.train.tsv.xz")
    lines = (f"{one.source}\t{one.target}\n" for one in islice(corpus.pairs(ignore), PAIRS))
    (folder / "mine.tsv").write_text("".join(lines), encoding="utf-8")
    source, target = pair.split("-")
    directions = f"{pair},{target}-{source}" if changes.get("both") else pair
    own = [f"data.languages={source},{target}", f"data.directions={directions}", "training.device=cpu"]
    others = [f"{name}={value}" for name, value in changes.items() if name != "both"]
    return [*own, f"data.corpora.0.file={folder / 'mine.tsv'}", *others]


def steps_in(seconds: float, settings: list[str], folder: Path) -> int:
    recipe = read_recipe(RECIPE, settings)
    trainer = build_trainer(recipe, prepare(recipe, folder / "probe"))
    return max(recipe.training.warmup_steps + 1, int(seconds / measure(trainer).seconds_a_step))


def attendo(*words: str) -> str:
    command = [sys.executable, "-m", "attendo", *words]
    return subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout


def bleu(model: Path, pair: str) -> float:
    source, target = pair.split("-")
    test = str(data_folder() / pair / "tatoeba.test.tsv")
    said = attendo("evaluate", "--model", str(model), "--from", source, "--to", target, "--json", test)
    return float(json.loads(said)[0]["bleu"]["score"])


if __name__ == "__main__":
    main()
