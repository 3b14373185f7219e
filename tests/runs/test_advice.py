"""Advice before a run: which facts call for which, with the numbers that people need; and where it is shown."""

import re
from dataclasses import replace

import pytest

from attendo.cli.main import run
from attendo.recipe.read import read_recipe
from attendo.runs.advice import RunFacts, advise, rounded
from attendo.runs.train import train

# As of the starter recipe on 20,000 pairs.
GOOD = RunFacts(
    pairs=20_000, tokens=400_000, vocabulary=4_000, chosen_vocabulary=True, norm_order="pre", dropout=0.1,
    max_steps=1_500, warmup_steps=300, peak_rate=2e-3, tokens_a_step=1_500, patience=5, steps_an_epoch=140.0,
    seconds_a_step=0.5,
)  # fmt: skip


def test_a_good_recipe_needs_none():
    assert advise(GOOD) == []


@pytest.mark.parametrize(
    ("change", "about", "grave", "numbers"),
    [
        ({"warmup_steps": 4_000}, "warmup", True, ["4,000 steps of 1,500", "training.warmup_steps=150"]),
        ({"warmup_steps": 1_000}, "warmup", False, ["1,000 steps of 1,500", "training.warmup_steps=150"]),
        ({"warmup_steps": 750}, "", False, []),
        ({"norm_order": "post", "dropout": 0.3}, "norms", True, ["dropout 0.3", "1,500 steps", "model.norm_order=pre"]),
        ({"norm_order": "post", "dropout": 0.1}, "", False, []),
        ({"norm_order": "post", "dropout": 0.3, "max_steps": 6_000}, "", False, []),
        ({"norm_order": "post", "dropout": 0.3, "fine_tuned": True, "peak_rate": 2e-4}, "", False, []),
        ({"pairs": 800}, "pairs", True, ["800 pairs", "recipes/fine-tune.toml"]),
        ({"pairs": 800, "synthetic": True}, "", False, []),
        ({"max_steps": 400, "warmup_steps": 40}, "steps", False, ["600,000 target tokens", "training.max_steps=1300"]),
        ({"patience": 0, "pairs": 4_000, "steps_an_epoch": 17.0, "max_steps": 1_500}, "epochs", False,
         ["88 epochs over 4,000 pairs", "validation.patience=5", "training.max_steps=510"]),
        ({"patience": 5, "steps_an_epoch": 17.0}, "", False, []),
        ({"tokens_a_step": 20_000, "steps_an_epoch": 9.8}, "batches", False, ["9.8 steps", "tokens_per_batch=2000"]),
        ({"vocabulary": 32_000}, "vocabulary", False, ["32,000 for 400,000", "seen 12 times", "vocab_size=10000"]),
        ({"vocabulary": 32_000, "chosen_vocabulary": False}, "", False, []),
        ({"fine_tuned": True, "peak_rate": 2e-3}, "rate", False, ["rises to 0.002", "training.learning_rate=2e-4"]),
        ({"seconds_a_step": 20.6}, "time", True, ["8 h 35 min", "20.6 s a step", "starter.toml", "max_steps=170 "]),
        ({"seconds_a_step": 20.6, "on_cpu": False}, "", False, []),
    ],
)  # fmt: skip
def test_each_obstacle_alone_is_named_with_its_numbers(change, about, grave, numbers):
    advice = advise(replace(GOOD, **change))
    assert [one.about for one in advice] == ([about] if about else [])
    for one in advice:
        assert one.grave is grave
        assert all(number in one.text for number in numbers), one.text


def test_grave_ones_come_first_and_nothing_measured_is_needed():
    bad = replace(GOOD, vocabulary=32_000, warmup_steps=4_000, steps_an_epoch=None, seconds_a_step=None)
    assert [one.about for one in advise(bad)] == ["warmup", "vocabulary"]


@pytest.mark.parametrize(("number", "round_one"), [(0.2, 1), (7.4, 7), (12.6, 13), (149.9, 150), (1_333.3, 1_300)])
def test_settings_are_round_numbers(number, round_one):
    assert rounded(number) == round_one


# --- where it is shown

SETTINGS = re.compile(r"([a-z]+\.[a-z_]+=[\w.-]+)")
RECIPE = """
[data]
languages = ["en", "de"]
directions = ["en-de"]
held_out = 0.1
[[data.corpora]]
file = "mine.tsv"
[tokenizer]
vocab_size = 400
[model]
family = "transformer"
d_model = 16
d_ff = 32
num_heads = 2
encoder_layers = 1
decoder_layers = 1
dropout = 0.3
[training]
max_steps = 3
device = "cpu"
[validation]
max_pairs = 2
"""


@pytest.fixture
def recipe(tmp_path):
    words = ["red", "green", "blue", "one", "two", "three"]
    lines = [f"{first} {second}\t{second} {first}\n" for first in words for second in words]
    (tmp_path / "mine.tsv").write_text("".join(lines), encoding="utf-8")
    (tmp_path / "mine.toml").write_text(RECIPE, encoding="utf-8")
    return tmp_path / "mine.toml"


def test_a_dry_run_tells_all_and_its_settings_can_be_set(recipe, tmp_path, capsys):
    assert run(["train", str(recipe), "--run-dir", str(tmp_path / "run"), "--dry-run"], debug=True) == 0
    said = [line for line in capsys.readouterr().out.splitlines() if line.startswith(("Warning: ", "Advice: "))]
    assert any(line.startswith("Warning: warmup never ends (4,000 steps of 3)") for line in said)
    assert any(line.startswith("Warning: post-norm with dropout 0.3") for line in said)
    assert any(re.match(r"Warning: 3\d pairs are too few", line) for line in said)
    assert not (tmp_path / "run").exists()
    settings = SETTINGS.findall("\n".join(said))
    assert "training.warmup_steps=1" in settings
    read_recipe(recipe, settings)


def test_a_run_warns_once_of_what_is_grave(recipe, tmp_path, caplog):
    train(recipe, tmp_path / "run", settings=["training.checkpoint_every=2", "training.max_steps=2"])
    (said,) = [text for text in caplog.messages if "warmup never ends" in text]
    assert "post-norm" in said
    caplog.clear()
    train(recipe, tmp_path / "run", settings=["training.checkpoint_every=2", "training.max_steps=4"])  # resumed
    assert not [text for text in caplog.messages if "warmup never ends" in text]
