"""What each ingredient gave: small models from more and more of the text, all else alike.

python -m recipes.default.ablation --work runs/default

    parallel         the corpora that people translated, and what made_up.py makes
    + encyclopaedia  and zhwiki, whose English is by OPUS-MT
    + round 1        and plain text, back-translated by the first teacher

They have the student's size, and learn from the text itself, not from what a teacher says to it, for fewer steps. The
command takes what build.py has put into the work folder, and goes on where it was stopped.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

from recipes.default.card import score_table
from recipes.default.scores import read_scores, write_scores
from recipes.default.sources import CORPORA, HERE

STEPS = 6_000
INGREDIENTS = ("parallel", "+ encyclopaedia", "+ round 1")
ENCYCLOPAEDIA = "zhwiki"
MODEL = """
[tokenizer]
file = "../tokenizer.json"

[model]
preset = "tiny"
d_model = 384
d_ff = 1536
num_heads = 6
norm_order = "pre"

[training]
seed = 1
max_steps = {steps}
tokens_per_batch = 25_000
schedule = "cosine"
learning_rate = 2e-3
warmup_steps = 1_000
label_smoothing = 0.1
average_decay = 0.999
checkpoint_every = {steps}

[validation]
every = {steps}
metric = "loss"
max_pairs = 100
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--work", type=Path, default=Path("runs/default"))
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--only", choices=INGREDIENTS, action="append", help="train these alone, and score none")
    parser.add_argument("--engine", default="torch", choices=["torch", "ct2"], help="that scores")
    options = parser.parse_args()
    folder = options.work / "ablation"
    folder.mkdir(exist_ok=True)
    for name in options.only or INGREDIENTS:
        train(folder, name, options.steps)
    if options.only:
        return
    for name in INGREDIENTS:
        if not scores_of(folder, name).exists():
            write_scores(folder / slug(name) / "model", name, options.engine, scores_of(folder, name))
    print(f"<!-- python -m recipes.default.ablation, {options.steps:,} steps -->\n")
    print(score_table(read_scores([scores_of(folder, name) for name in INGREDIENTS])))


def slug(name: str) -> str:
    return re.sub(r"\W+", "-", name).strip("-")


def scores_of(folder: Path, name: str) -> Path:
    return folder / f"{slug(name)}.json"


def train(folder: Path, name: str, steps: int) -> None:
    recipe = folder / f"{slug(name)}.toml"
    recipe.write_text(text_of(name) + MODEL.format(steps=steps), encoding="utf-8")
    if not (folder / slug(name) / "model").exists():
        command = [sys.executable, "-m", "attendo", "train", str(recipe), "--run-dir", str(folder / slug(name))]
        subprocess.run(command, check=True)


def text_of(name: str) -> str:
    """The tables of the corpora. Files of the build stand one folder up."""
    corpora = CORPORA.read_text(encoding="utf-8")
    if name == "parallel":
        corpora = without(corpora, ENCYCLOPAEDIA)
    if name == "+ round 1":
        second = (HERE / "second-teacher.toml").read_text(encoding="utf-8")
        corpora += second[second.index("[[data.corpora]]") : second.index("[model]")]
    return re.sub(r'file = "((?:round-1|cleaned|made-up|words|rough).*?)"', r'file = "../\1"', corpora)


def without(corpora: str, name: str) -> str:
    head, *tables = corpora.split("[[data.corpora]]")
    return head + "".join(f"[[data.corpora]]{table}" for table in tables if f"/{name}" not in table)


if __name__ == "__main__":
    main()
