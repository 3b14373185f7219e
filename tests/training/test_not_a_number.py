"""T12: a loss or gradient that is no finite number changes nothing, is counted and told, and is never saved."""

import math
import os
import signal

import pytest
import torch

from attendo.data.batches import Batches
from attendo.errors import TrainingError
from attendo.files.cache_folder import cache_folder
from attendo.model.build import build_model
from attendo.model_folder.weights import load_weights_
from attendo.runs.prepare import prepare
from attendo.runs.validation import mean_loss, one_epoch
from attendo.training import loop as training_loop
from attendo.training import trainer
from attendo.training.checkpoints import Checkpoints, read_snapshot, read_state
from attendo.training.log import read_log
from attendo.training.objective import TeacherForcing
from attendo.training.state import capture
from tests.forked import end_of, forked
from tests.training.tiny_run import result, run, tiny_recipe

RECIPE = tiny_recipe(
    training={"max_steps": 7, "checkpoint_every": 2, "max_skipped": 4}, validation={"every": 4, "max_pairs": 2}
)


def loss_is_nan(objective, model, batch):
    return objective(model, batch) * math.nan


def loss_is_infinite(objective, model, batch):
    return objective(model, batch) + math.inf


def gradient_is_nan(objective, model, batch):
    """The loss is as it was: √0 is 0, but its slope is infinite, and the chain rule multiplies it by 0."""
    weight = next(model.parameters())
    return objective(model, batch) + (weight.sum() * 0).sqrt()


class Poisoned:
    """The second micro-batch of these steps is poisoned; what such a step changes is noted."""

    def __init__(self, patch, steps, poison):
        self.steps, self.poison, self.changed, self.seen = steps, poison, [], []
        real_step, real_take = trainer.train_step, training_loop.Loop.take_step
        self.now = 0

        def train_step(model, optimizer, batches, rate, objective, **settings):
            poisoned = batches[1] if self.now in self.steps else None

            def bad(model, batch):
                return self.poison(objective, model, batch) if batch is poisoned else objective(model, batch)

            return real_step(model, optimizer, batches, rate, bad, **settings)

        def take_step(this, work):
            self.now = this.state.progress.step + 1
            before = bits(this.state)
            real_take(this, work)
            if self.now in self.steps:
                self.seen.append(self.now)
                # The optimiser makes its moments in its first step, full of zeros.
                changed = bits(this.state).items() - before.items()
                self.changed += [name for name, data in changed if name in before or any(data)]

        patch.setattr(trainer, "train_step", train_step)
        patch.setattr(training_loop.Loop, "take_step", take_step)


def bits(state):
    """All that an update changes: weights, the optimiser's moments and counts, the moving average."""
    snapshot = capture(state)
    groups = {"weights": snapshot.weights, "optimizer": snapshot.optimizer, "average": snapshot.average}
    return {
        f"{group} {name}": tensor.detach().numpy().tobytes()
        for group, tensors in groups.items()
        for name, tensor in tensors.items()
    }


@pytest.fixture(scope="module")
def judge():
    """Looks at every checkpoint of a run: all numbers are finite, and its weights give a finite loss."""
    prepared = prepare(RECIPE, cache_folder())
    model = build_model(prepared.model).eval()
    batches = list(one_epoch(Batches([prepared.validation[0].corpus], 200, seed=0)))

    def look(folder):
        checkpoints = Checkpoints(folder / "checkpoints")
        for step in checkpoints.steps():
            progress, random, _ = read_state(checkpoints.path(step))
            snapshot = read_snapshot(checkpoints.path(step), model, progress, random)  # refuses what is not finite
            for weights in (snapshot.weights, snapshot.average):
                load_weights_(model, weights)
                assert math.isfinite(mean_loss(model, batches, TeacherForcing())), f"step {step}"
        return checkpoints.steps()

    return look


def check_told(folder, output, steps, poison):
    """Each skipped step is in the log with its place in the data, and was said."""
    what = "gradient" if poison is gradient_is_nan else "loss"
    log = read_log(folder / "log.jsonl")
    lines = {one["step"]: one for one in log if one.get("skipped")}
    assert sorted(lines) == sorted(steps)
    for step, line in lines.items():
        sentence = f"step {step} (epoch {line['epoch']}, batch {line['batch']}): the {what} is not a finite number"
        assert sentence in output
        assert any(sentence in one["text"] for one in log if one.get("event") == "remark")
        assert (line["loss"] is None) == (what == "loss")
        assert (line["gradient_norm"] is None) == (poison is not loss_is_infinite)  # which has the slope of the finite


WHEN = {"step 5": {5}, "the first step": {1}, "three in a row": {3, 4, 5}}
CASES = [*((loss_is_nan, when) for when in WHEN), (loss_is_infinite, "step 5"), (gradient_is_nan, "three in a row")]


@pytest.mark.parametrize(("poison", "when"), CASES)
def test_such_a_step_changes_nothing_and_the_run_goes_on(poison, when, tmp_path, monkeypatch, judge, evidence):
    steps = WHEN[when]
    poisoned = Poisoned(monkeypatch, steps, poison)
    code, output = run(tmp_path, RECIPE)
    assert code == 0
    assert poisoned.seen == sorted(steps)
    assert poisoned.changed == []
    check_told(tmp_path, output, steps, poison)
    assert judge(tmp_path)[-1] == 7
    assert read_state(tmp_path / "checkpoints" / "step-7")[0].skipped == len(steps)
    name = poison.__name__.replace("_", " ")
    evidence("T12", f"{name}, {when}: updates that changed a bit", f"0 of {len(steps)}")


def test_it_holds_for_an_optimiser_that_is_not_fused(tmp_path, monkeypatch, evidence):
    def plain(model, config, real=trainer.build_optimizer):
        return torch.optim.AdamW(model.parameters(), lr=0.0, betas=(config.beta1, config.beta2), fused=False)

    monkeypatch.setattr(trainer, "build_optimizer", plain)
    poisoned = Poisoned(monkeypatch, {1, 4}, gradient_is_nan)
    code, output = run(tmp_path, RECIPE)
    assert code == 0
    assert poisoned.seen == [1, 4]
    assert poisoned.changed == []
    check_told(tmp_path, output, {1, 4}, gradient_is_nan)
    evidence("T12", "the same without a fused optimiser: updates that changed a bit", "0 of 2")


def test_a_run_killed_between_skipped_steps_ends_the_same(tmp_path, monkeypatch, evidence):
    Poisoned(monkeypatch, {3, 4, 5}, gradient_is_nan)
    assert run(tmp_path / "whole", RECIPE)[0] == 0

    def killed():
        def read_steps(this, real=training_loop.Loop.read_steps):
            real(this)
            if this.state.progress.step == 4:
                this.finish_saving()
                os.kill(os.getpid(), signal.SIGKILL)

        training_loop.Loop.read_steps = read_steps
        return run(tmp_path / "run", RECIPE)[0]

    assert end_of(forked(killed)) == -signal.SIGKILL
    assert Checkpoints(tmp_path / "run" / "checkpoints").steps() == [2]
    assert run(tmp_path / "run", RECIPE)[0] == 0
    assert result(tmp_path / "run") == result(tmp_path / "whole")
    evidence("T12", "a run killed between skipped steps", "bit-identical end")


def stops(folder, recipe=RECIPE):
    """The one sentence with which a run gives up."""
    with pytest.raises(TrainingError) as gave_up:
        run(folder, recipe)
    sentence = str(gave_up.value)
    assert "\n" not in sentence
    assert "training.learning_rate" in sentence
    assert "training.warmup_steps" in sentence
    return sentence


def every_step_from(first):
    return set(range(first, 100))


@pytest.mark.parametrize("poison", [loss_is_nan, gradient_is_nan])
def test_a_run_that_skips_every_step_stops(poison, tmp_path, monkeypatch, judge, evidence):
    poisoned = Poisoned(monkeypatch, every_step_from(1), poison)
    sentence = stops(tmp_path)
    assert poisoned.seen == [1, 2, 3, 4]
    assert poisoned.changed == []
    assert "4 updates in a row were skipped, up to step 4" in sentence
    assert "The last good checkpoint: none yet" in sentence
    assert judge(tmp_path) == []
    evidence("T12", f"{poison.__name__.replace('_', ' ')} at every step, max_skipped = 4: steps until the stop", 4)


def test_the_last_good_checkpoint_is_named_and_good(tmp_path, monkeypatch, judge):
    """Step 3 was the last update, so the weights of step 2 have given a finite loss."""
    with monkeypatch.context() as patch:
        Poisoned(patch, every_step_from(4), loss_is_nan)
        assert f"The last good checkpoint: {tmp_path / 'checkpoints' / 'step-2'}." in stops(tmp_path)
    assert judge(tmp_path) == [2]


def test_a_checkpoint_that_never_gave_a_finite_loss_is_not_called_good(tmp_path, monkeypatch, judge, reference):
    """Step 2 was the last update and was saved, but all that its weights ever gave was no number."""
    recipe = tiny_recipe(
        training={"max_steps": 7, "checkpoint_every": 1, "max_skipped": 4}, validation={"every": 4, "max_pairs": 2}
    )
    with monkeypatch.context() as patch:
        Poisoned(patch, every_step_from(3), loss_is_nan)
        assert f"The last good checkpoint: {tmp_path / 'checkpoints' / 'step-1'}." in stops(tmp_path, recipe)
    assert judge(tmp_path) == [1]
    assert (tmp_path / "checkpoints" / "damaged-step-2").is_dir()
    assert run(tmp_path, recipe)[0] == 0
    assert result(tmp_path) == reference


@pytest.mark.parametrize(("rate", "every"), [(1e20, 1), (1e20, 2), (1e20, 100), (1e300, 1)])
def test_a_learning_rate_that_ruins_the_weights_stops_and_leaves_no_ruin(rate, every, tmp_path, judge, evidence):
    """The first update is made of finite numbers; the weights it gives only give others, and may have been saved."""
    training = {"checkpoint_every": every, "max_skipped": 2, "learning_rate": rate, "accumulate": 1}
    sentence = stops(tmp_path, tiny_recipe(training=training, validation={"every": 2, "max_pairs": 2}))
    assert "The last good checkpoint: none yet" in sentence
    assert judge(tmp_path) == []
    evidence("T12", f"learning rate {rate:.0e}, a checkpoint every {every}: ruined ones left on the disk", 0)
