"""What `TrainingConfig`, `Batch` and `Trainer` are given: an error of ours names it, before weights are touched."""

import math

import numpy as np
import pytest
import torch
from torch import nn

import attendo

BATCH = attendo.Batch.from_pairs([([5, 6, 7], [5, 6, 7])])
CONFIG = {"schedule": "cosine", "learning_rate": 0.1, "warmup_steps": 1, "max_steps": 3, "device": "cpu"}


def objective(model, batch):
    logits = model(batch.source)
    return nn.functional.cross_entropy(logits.flatten(0, 1), batch.target_out.flatten(), reduction="sum")


def trained(**changed):
    model = nn.Sequential(nn.Embedding(20, 4), nn.Linear(4, 20))
    config = attendo.TrainingConfig(**CONFIG)
    given = {"model": model, "batches": [BATCH], "objective": objective, "training": config}
    attendo.Trainer(**{**given, **changed}).run()


@pytest.mark.parametrize(
    ("settings", "words"),
    [
        ({"max_steps": "5"}, r"max_steps = '5' in \[training\]: expected a whole number"),
        ({"max_steps": 2.5}, "max_steps = 2.5 .* expected a whole number"),
        ({"max_steps": math.nan}, "max_steps = nan .* expected a whole number"),
        ({"max_steps": True}, "max_steps = True .* expected a whole number"),
        ({"learning_rate": math.nan}, "learning_rate = nan .* expected a number"),
        ({"precision": "fp8"}, "precision = 'fp8' .* expected one of auto, float32, bfloat16"),
        ({"compile": "maybe"}, "compile = 'maybe' .* expected one of auto, on, off"),
        ({"device": 5}, "device = 5 .* expected a text"),
    ],
)
def test_settings(settings, words):
    with pytest.raises(attendo.ConfigError, match=words):
        attendo.TrainingConfig(**settings)


def test_numbers_of_numpy_are_numbers():
    config = attendo.TrainingConfig(max_steps=np.int64(7), learning_rate=np.float32(0.5))
    assert (type(config.max_steps), type(config.learning_rate)) == (int, float)
    assert (config.max_steps, config.learning_rate) == (7, 0.5)


@pytest.mark.parametrize(
    "pairs", [5, [], [5], ["ab"], [([1], None)], [([1.5], [2])], [([1], ["a"])], [([10**30], [1])]]
)
def test_pairs_of_a_batch(pairs):
    with pytest.raises(attendo.UsageError, match=r"pairs is .*: expected pairs of"):
        attendo.Batch.from_pairs(pairs)


def test_pairs_of_an_iterator():
    assert attendo.Batch.from_pairs(iter([([5, 6, 7], [5, 6, 7])])).target_out.equal(BATCH.target_out)


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"model": None}, "model is None: expected a torch.nn.Module"),
        ({"training": {}}, "training is {}: expected TrainingConfig"),
        ({"validation": 5}, "validation is 5: expected ValidationConfig, or None"),
        ({"batches": 5}, "batches is 5: expected a list of Batch"),
        ({"batches": [5]}, "a batch is 5: expected a Batch"),
        ({"objective": None}, "objective is None: expected a function"),
        ({"objective": lambda model, batch: None}, "the objective gave None: expected a loss"),
        ({"objective": lambda model, batch: model(batch.source)}, "the objective gave a tensor of shape"),
        ({"objective": lambda model, batch: torch.zeros(())}, "expected a loss, one number with a gradient"),
        ({"validate": 5}, "validate is 5: expected a function"),
        ({"validate": lambda model: None}, "validate gave None: expected scores by name"),
        ({"callbacks": [5]}, "a callback is 5: expected an object"),
        ({"checkpoints": 5}, "checkpoints is 5: expected a path"),
        ({"schedule": 5}, "schedule is 5: expected a function"),
        ({"schedule": lambda step: None}, "the schedule gave None for step 1: expected a number"),
        ({"machine": 5}, "machine is 5: expected Machine, or None"),
        ({"made_of": 5}, "made_of is 5: expected texts by name"),
        ({"force": "no"}, "force is 'no': expected True or False"),
    ],
)
def test_arguments_of_a_trainer(changed, words):
    with pytest.raises(attendo.AttendoError, match=words):
        trained(**changed)


def test_a_rate_that_is_no_number_does_not_reach_the_weights():
    model = nn.Sequential(nn.Embedding(20, 4), nn.Linear(4, 20))
    with pytest.raises(attendo.TrainingError, match="the schedule gave nan for step 2: expected a number, at least 0"):
        trained(model=model, schedule=lambda step: 0.1 if step == 1 else math.nan)
    assert all(weights.isfinite().all() for weights in model.parameters())
