"""What 500 sentences of a domain are worth: the default model before and after recipes/fine-tune.toml, on a test set of
the domain and on everyday sentences, which it must not forget.

python -m benchmarks.fine_tune [--model M] [--sentences 500] [--times 3]

The domain is the texts of a dungeon game (pixeldungeon, research only), which the default model has not seen. Each time
other sentences are sample.
"""

import argparse
import json
import random
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from attendo.data.corpus import CorpusFile, Pair
from attendo.data.lines import ignore
from attendo.model_folder.bundle import model_folder
from benchmarks.machine import data_folder, describe_machine

RECIPE = Path(__file__).parent.parent / "recipes" / "fine-tune.toml"
DOMAIN = "zh-en/pixeldungeon.train.tsv.xz"
HELD_OUT = 100
TESTS = {  # name -> file, and whether it is read from right to left
    "the game, zh → en": ("zh-en/pixeldungeon.test.tsv", False),
    "the game, en → zh": ("zh-en/pixeldungeon.test.tsv", True),
    "everyday (Tatoeba), zh → en": ("zh-en/tatoeba.test.tsv", False),
    "everyday (Tatoeba), en → zh": ("zh-en/tatoeba.test.tsv", True),
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--model", help="a model folder, or a name (default: the one that came with the package)")
    parser.add_argument("--sentences", type=int, default=500)
    parser.add_argument("--times", type=int, default=3, help="each with other sentences (default: %(default)s)")
    options = parser.parse_args()
    model = model_folder(options.model)
    pairs = list(CorpusFile(data_folder() / DOMAIN).pairs(ignore))
    before = {name: bleu(model, *test) for name, test in TESTS.items()}
    after: dict[str, list[float]] = {name: [] for name in TESTS}
    seconds = []
    for seed in range(1, options.times + 1):
        sample = random.Random(seed).sample(pairs, options.sentences + HELD_OUT)
        with tempfile.TemporaryDirectory() as folder:
            started = time.perf_counter()
            tuned = fine_tune(model, sample[HELD_OUT:], sample[:HELD_OUT], seed, Path(folder))
            seconds.append(time.perf_counter() - started)
            for name, test in TESTS.items():
                after[name].append(bleu(tuned, *test))
    print(f"<!-- python -m benchmarks.fine_tune --sentences {options.sentences}; {describe_machine()} -->\n")
    print("| test set | before | after | better by |\n|---|---:|---:|---:|")
    for name, scores in after.items():
        mean = statistics.mean(scores)
        spread = f" ± {statistics.stdev(scores):.1f}" if len(scores) > 1 else ""
        print(f"| {name} | {before[name]:.1f} | {mean:.1f}{spread} | {mean - before[name]:+.1f} |")
    print(f"\nBLEU by sacreBLEU, beam 4, {options.times} draws; training took {statistics.median(seconds):.0f} s.")


def fine_tune(model: Path, training: list[Pair], held_out: list[Pair], seed: int, folder: Path) -> Path:
    """By the recipe as it stands, but for the model's name."""
    recipe = RECIPE.read_text(encoding="utf-8").replace(
        'init_from = "default"', f"init_from = {json.dumps(str(model))}"
    )
    (folder / "recipe.toml").write_text(recipe, encoding="utf-8")
    for name, pairs in (("mine.tsv", training), ("mine.dev.tsv", held_out)):
        lines = "".join(f"{pair.source}\t{pair.target}\n" for pair in pairs)
        (folder / name).write_text(lines, encoding="utf-8")
    run = folder / "run"
    subprocess.run(
        [sys.executable, "-m", "attendo", "train", str(folder / "recipe.toml"), "--run-dir", str(run),
         "--set", f"training.seed={seed}"], check=True,
    )  # fmt: skip
    return run / "model"


def bleu(model: Path, file: str, swapped: bool) -> float:
    source, target = ("en", "zh") if swapped else ("zh", "en")
    command = [
        sys.executable, "-m", "attendo", "evaluate", "--model", str(model), "--from", source, "--to", target,
        "--beam", "4", "--json", str(data_folder() / file),
    ]  # fmt: skip
    done = subprocess.run([*command, *["--swap"] * swapped], stdout=subprocess.PIPE, check=True)
    return float(json.loads(done.stdout)[0]["bleu"]["score"])


if __name__ == "__main__":
    main()
