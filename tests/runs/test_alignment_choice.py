"""`attendo train` chooses the heads that tell what a word was made from, where that can be told."""

import pytest

from attendo.model_folder.bundle import read_bundle
from attendo.model_folder.optional_keys import AlignmentHeads
from attendo.runs import train as of_training
from attendo.runs.average import average_run
from attendo.runs.run_folder import RunFolder
from tests.training.tiny_run import tiny_recipe

CHOSEN = AlignmentHeads(layer=0, heads=(1,), shift=1)
BOTH = {"directions": ["abc-cba", "cba-abc"]}
SHORT = {"max_steps": 6, "warmup_steps": 2, "checkpoint_every": 3}


@pytest.fixture
def asked(monkeypatch):
    """What the choice is made by."""
    found = []

    def choose(model, tokenizer, pairs):
        found.append(pairs)
        assert not model.training
        return CHOSEN

    monkeypatch.setattr(of_training, "choose_heads", choose)
    return found


def test_by_the_validation_pairs_of_both_directions(tmp_path, asked):
    recipe = tiny_recipe(data=BOTH, training=SHORT, validation={"max_pairs": 50})
    model = of_training.train(recipe, tmp_path / "run").model
    assert read_bundle(model).alignment == CHOSEN
    ((languages, pairs),) = asked[0].items()
    assert languages == ("abc", "cba")
    assert len(pairs) == 50
    assert all(source == target[::-1] for source, target in pairs)
    # The mean of the run's checkpoints has the same heads.
    average_run(RunFolder(tmp_path / "run"), tmp_path / "mean", last=2, best=None)
    assert read_bundle(tmp_path / "mean").alignment == CHOSEN


@pytest.mark.parametrize(
    "changes",
    [
        {"validation": {"max_pairs": 50}},  # one direction
        {"data": BOTH, "validation": {"max_pairs": 4}},  # few pairs
    ],
)
def test_where_it_makes_no_sense_there_is_no_key(tmp_path, asked, changes):
    model = of_training.train(tiny_recipe(training=SHORT, **changes), tmp_path / "run").model
    assert read_bundle(model).alignment is None
    assert not asked
