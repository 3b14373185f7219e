"""What TensorBoard gets, read back by its own reader."""

import math
import sys
from contextlib import contextmanager

import pytest
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from attendo.errors import ConfigError, WriteError
from attendo.runs.tensorboard import TensorBoard
from attendo.training.callback import CheckpointRecord, StepRecord, TranslationSample, ValidationRecord


def step(index, loss, **changes):
    return StepRecord(index, loss, 3e-4, 0.8, 23_000, 41_000.0, 0.016, 3, index, **changes)


@contextmanager
def opened(folder, start_step=0):
    board = TensorBoard(folder)
    board.on_start(start_step, max_steps=10)
    yield board
    board.on_end(None)


def read(folder):
    events = EventAccumulator(str(folder))
    events.Reload()
    return events


def curve(events, name):
    return [(event.step, pytest.approx(event.value)) for event in events.Scalars(name)]


def test_every_number_arrives(tmp_path):
    with opened(tmp_path / "tensorboard") as board:
        board.on_step(step(1, 9.5))
        board.on_step(step(2, math.nan, skipped=True))
        board.on_validation_start(2)
        board.on_validation(
            ValidationRecord(2, {"loss": 3.25, "bleu": 24.5}, True, [TranslationSample("你好\n# x", "Hi", "<b>Hi</b>")])
        )
        board.on_checkpoint(CheckpointRecord(2, 0.8, tmp_path / "step-2"))
        board.on_message(2, "a remark")
    events = read(tmp_path / "tensorboard")
    assert curve(events, "training/loss") == [(1, 9.5)], "what is no number is left out"
    assert curve(events, "training/learning_rate") == [(1, 3e-4), (2, 3e-4)]
    assert curve(events, "training/gradient_norm") == [(1, 0.8), (2, 0.8)]
    assert curve(events, "training/target_tokens_per_second") == [(1, 41_000), (2, 41_000)]
    assert curve(events, "training/padding") == [(1, 0.016), (2, 0.016)]
    assert curve(events, "training/epoch") == [(1, 3), (2, 3)]
    assert curve(events, "training/skipped") == [(2, 1)]
    assert curve(events, "validation/loss") == [(2, 3.25)]
    assert curve(events, "validation/bleu") == [(2, 24.5)]
    (sample,) = events.Tensors("sample/1/text_summary")
    assert sample.tensor_proto.string_val[0].decode() == "    你好 # x\n    Hi\n    <b>Hi</b>"
    (remark,) = events.Tensors("remarks/text_summary")
    assert (remark.step, remark.tensor_proto.string_val) == (2, [b"    a remark"])


def test_it_is_on_the_disk_after_a_validation_and_a_checkpoint(tmp_path, monkeypatch):
    with opened(tmp_path) as board:
        flushed = []
        flush = board.writer.flush
        monkeypatch.setattr(board.writer, "flush", lambda: (flush(), flushed.append(board.step)))
        board.on_step(step(1, 9.5))
        board.on_validation(ValidationRecord(1, {"loss": 3.25}, best=True))
        assert curve(read(tmp_path), "training/loss") == [(1, 9.5)]
        board.on_step(step(2, 9.0))
        board.on_checkpoint(CheckpointRecord(2, 0.1, tmp_path / "step-2"))
        assert curve(read(tmp_path), "training/loss") == [(1, 9.5), (2, 9.0)]
        assert flushed == [1, 2]


def test_a_resumed_run_replaces_what_it_does_again(tmp_path):
    with opened(tmp_path) as board:
        for number in range(1, 11):
            board.on_step(step(number, 1.0))
    with opened(tmp_path, start_step=5) as board:
        for number in range(6, 9):
            board.on_step(step(number, 2.0))
    events = read(tmp_path)
    assert curve(events, "training/loss") == [(n, 1.0) for n in range(1, 6)] + [(n, 2.0) for n in range(6, 9)]


def test_without_the_package_the_error_tells_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
    with pytest.raises(
        ConfigError, match=r"^training.tensorboard needs the package tensorboard: pip install tensorboard$"
    ):
        TensorBoard(tmp_path).on_start(0, 10)


def test_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    with pytest.raises(WriteError, match=r"cannot write .*file"):
        TensorBoard(tmp_path / "file").on_start(0, 10)
