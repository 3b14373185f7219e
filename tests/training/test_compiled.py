"""Compiling changes the speed and nothing else; and where it fails, the run goes on."""

from functools import partial

import pytest
import torch
from torch._dynamo.exc import Unsupported

from attendo.data.batches import Batches, Position, WeightedCorpus
from attendo.data.encoded import EncodedSide
from attendo.model.build import build_model
from attendo.model.config import DecoderOnlyConfig, EncoderOnlyConfig, RecurrentConfig, TransformerConfig, can_pack
from attendo.training.config import TrainingConfig
from attendo.training.device import choose_machine
from attendo.training.objective import Compiled, RDrop, TeacherForcing

SMALL = {"vocab_size": 40, "d_model": 16, "d_ff": 32, "num_heads": 2, "dropout": 0.0}
CONFIGS = {
    "transformer": TransformerConfig(**SMALL, encoder_layers=1, decoder_layers=1),
    "transformer with rotary positions": TransformerConfig(
        **SMALL, encoder_layers=1, decoder_layers=1, positions="rotary"
    ),
    "transformer with additive attention": TransformerConfig(
        **SMALL, encoder_layers=1, decoder_layers=1, compatibility="additive"
    ),
    "decoder-only": DecoderOnlyConfig(**SMALL, num_layers=1, num_kv_heads=1),
}


def packed_batch():
    import numpy as np

    side = EncodedSide(np.arange(60, dtype=np.uint16) % 30 + 8, np.arange(0, 61, 4))
    return next(Batches([WeightedCorpus(side, side, tag=4)], 512, seed=1).stream(Position()))[0]


@pytest.mark.parametrize("objective", [TeacherForcing(0.1), RDrop(1.0, 0.1)], ids=["teacher forcing", "R-Drop"])
@pytest.mark.parametrize("name", CONFIGS)
def test_the_whole_objective_is_one_graph(name, objective, monkeypatch, caplog):
    """Traced by torch's compiler without a break; what code it makes of the graph is the library's business."""
    monkeypatch.setattr(torch, "compile", partial(torch.compile, backend="eager", fullgraph=True))
    torch.compiler.reset()  # it counts how often a function is traced anew, and gives up
    torch.manual_seed(1)
    model, batch = build_model(CONFIGS[name]), packed_batch()
    compiled = Compiled(objective)
    torch.testing.assert_close(compiled(model, batch), objective(model, batch))
    assert not [record for record in caplog.records if record.name == "attendo"]


def test_a_compiler_that_fails_is_a_remark(monkeypatch, caplog):
    def compile_(function, dynamic, options):
        def fails(model, batch):
            raise Unsupported("no such luck\nand a long explanation")

        return fails

    monkeypatch.setattr(torch, "compile", compile_)
    model, batch = build_model(CONFIGS["transformer"]), packed_batch()
    compiled = Compiled(TeacherForcing())
    for _ in range(2):
        torch.testing.assert_close(compiled(model, batch), TeacherForcing()(model, batch))
    (message,) = [record.getMessage() for record in caplog.records if record.name == "attendo"]
    assert "no such luck" in message
    assert "\n" not in message


def test_only_batches_of_one_shape_are_compiled_by_default(monkeypatch):
    monkeypatch.setattr("attendo.training.device.has_compiler", lambda: True)
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda: True)
    unpacked = [RecurrentConfig(vocab_size=40), EncoderOnlyConfig(vocab_size=40)]
    for config in [*CONFIGS.values(), *unpacked]:
        machine = choose_machine(TrainingConfig(), config)
        assert machine.device.type == "cuda"
        assert machine.precision == torch.bfloat16
        assert machine.compiled is machine.packed is can_pack(config) is (config not in unpacked)
    for switch, wanted in (("auto", False), ("on", True)):
        machine = choose_machine(TrainingConfig(device="cpu", compile=switch), CONFIGS["transformer"])
        assert machine.compiled is machine.packed is wanted
