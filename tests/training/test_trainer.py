"""A Trainer by hand: one's own module, one's own batches, one's own callback; no recipe, no folder."""

import re
import runpy
from dataclasses import replace
from pathlib import Path

import pytest
import torch
from torch import nn

from attendo.data.batch import Batch
from attendo.errors import ConfigError, DataError, TrainingError
from attendo.training.callback import Callback
from attendo.training.config import TrainingConfig, ValidationConfig
from attendo.training.loss import cross_entropy_sum
from attendo.training.trainer import Trainer

CONFIG = TrainingConfig(
    max_steps=60, schedule="cosine", learning_rate=5e-2, warmup_steps=5, device="cpu", checkpoint_every=20
)


class Successor(nn.Module):
    """Says of each id which comes next: not one of our families, and it has no configuration."""

    def __init__(self):
        super().__init__()
        self.table = nn.Embedding(20, 16)
        self.output = nn.Linear(16, 20)

    def forward(self, target_in):
        return self.output(self.table(target_in))


def objective(model, batch):
    return cross_entropy_sum(model(batch.target_in), batch.target_out)


def own_batches(count=4):
    return [
        Batch.from_pairs([([5], [3 + (start + n) % 15 for n in range(6)]) for start in (4 * index, 4 * index + 2)])
        for index in range(count)
    ]


def trained(**options):
    torch.manual_seed(1)
    trainer = Trainer(Successor(), options.pop("batches", own_batches()), objective, CONFIG, **options)
    trainer.run()
    return trainer


class Recorder(Callback):
    """What an experiment tracker would keep."""

    def __init__(self):
        self.losses, self.events = [], []

    def on_start(self, step, max_steps):
        self.events.append(("start", step, max_steps))

    def on_step(self, record):
        self.losses.append(record.loss)

    def on_validation(self, record):
        self.events.append(("validation", record.step, record.best))

    def on_checkpoint(self, record):
        self.events.append(("checkpoint", record.step, record.path.is_dir()))

    def on_end(self, error):
        self.events.append(("end", error))


def test_a_model_of_ones_own_learns_from_batches_of_ones_own(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    recorder = Recorder()
    trainer = trained(callbacks=[recorder])
    assert len(recorder.losses) == trainer.state.progress.step == 60
    assert recorder.losses[-1] < 1 < recorder.losses[0]
    assert recorder.events == [("start", 0, 60), ("end", None)]
    assert list(tmp_path.iterdir()) == [], "nothing is written where no folder is named"


def test_a_callback_overrides_what_it_wants():
    class Printed(Callback):
        steps = 0

        def on_step(self, record):
            self.steps += 1

    printed = Printed()
    trained(callbacks=[printed, Callback()])
    assert printed.steps == 60


def test_validation_is_a_function_that_is_given(tmp_path):
    recorder, scores = Recorder(), iter([3.0, 1.0, 2.0])
    trainer = trained(
        validation=ValidationConfig(every=20), validate=lambda model: ({"loss": next(scores)}, []),
        callbacks=[recorder], checkpoints=tmp_path / "checkpoints",
    )  # fmt: skip
    assert trainer.state.progress.history == {20: 3.0, 40: 1.0, 60: 2.0}
    told = [event for event in recorder.events if event[0] == "validation"]
    assert told == [("validation", 20, True), ("validation", 40, True), ("validation", 60, False)]
    assert [event for event in recorder.events if event[0] == "checkpoint"] == [
        ("checkpoint", step, True) for step in (20, 40, 60)
    ]


def test_it_is_resumed_from_its_checkpoints_bit_for_bit(tmp_path):
    class Breaks(Callback):
        def on_step(self, record):
            if record.step == 33:
                raise OSError("pulled the plug")

    with pytest.raises(OSError, match="pulled the plug"):
        trained(checkpoints=tmp_path, callbacks=[Breaks()])
    recorder = Recorder()
    resumed, whole = trained(checkpoints=tmp_path, callbacks=[recorder]), trained()
    assert recorder.events[0] == ("start", 20, 60)
    for name, weight in whole.state.model.state_dict().items():
        assert torch.equal(weight, resumed.state.model.state_dict()[name])


def test_a_checkpoint_of_something_else_is_refused_unless_forced(tmp_path):
    trained(checkpoints=tmp_path, made_of={"data": "first"})
    with pytest.raises(TrainingError, match="made of something else: data"):
        trained(checkpoints=tmp_path, made_of={"data": "second"})
    trained(checkpoints=tmp_path, made_of={"data": "second"}, force=True)


def test_the_papers_schedule_needs_a_width():
    with pytest.raises(ConfigError, match=r"needs model.config.d_model, which Successor does not have"):
        Trainer(Successor(), own_batches(), objective, TrainingConfig(device="cpu"))
    Trainer(Successor(), own_batches(), objective, TrainingConfig(device="cpu"), schedule=lambda step: 1e-3)


def test_batches_that_come_once_are_an_error_in_the_second_epoch():
    with pytest.raises(DataError, match="epoch 2 has no batches"):
        trained(batches=iter(own_batches()))


def test_the_example_of_the_documentation_runs(tmp_path, capsys):
    page = Path(__file__).parent.parent.parent / "docs" / "training.md"
    (example,) = [code for code in re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.S)
                  if "Trainer(model" in code]  # fmt: skip
    assert len(example.splitlines()) < 25
    (tmp_path / "example.py").write_text(example, encoding="utf-8")
    runpy.run_path(str(tmp_path / "example.py"))
    assert capsys.readouterr().out == "50 500\n"


class PartlyTrained(Successor):
    """With weights that no update reaches: a frozen table, and a layer that is not used."""

    def __init__(self):
        super().__init__()
        self.table.weight.requires_grad_(False)
        self.unused = nn.Linear(3, 3)


def test_frozen_and_unused_weights_are_no_obstacle_to_resuming(tmp_path):
    def run(max_steps, folder):
        torch.manual_seed(1)
        settings = replace(CONFIG, schedule="noam", max_steps=max_steps)
        trainer = Trainer(
            PartlyTrained(), own_batches(), objective, settings, schedule=lambda step: 0.05, checkpoints=folder
        )
        trainer.run()
        return trainer.state.model.state_dict()

    run(20, str(tmp_path / "stopped"))
    whole, resumed = run(40, tmp_path / "whole"), run(40, tmp_path / "stopped")
    assert all(torch.equal(whole[name], resumed[name]) for name in whole)
