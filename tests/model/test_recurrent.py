"""The recurrent models against torch.nn and written-out loops: cells, both directions, whole models, beams."""

import pytest
import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from attendo.decoding.beam import beam_search
from attendo.decoding.options import SearchOptions
from attendo.model.build import build_model
from attendo.model.config import RecurrentConfig
from attendo.model.record import AttentionRecord
from attendo.model.recurrence import CELLS, BidirectionalLayer, reverse_within
from attendo.model.shapes import MATRICES, STATES
from tests.decoding.families import padded, sentences
from tests.reference import beam_by_sentence
from tests.reference.recurrent_by_loops import logits_by_loops
from tests.reference.same import random_gains

THEIRS = {"rnn": torch.nn.RNN, "gru": torch.nn.GRU, "lstm": torch.nn.LSTM}
every_cell = pytest.mark.parametrize("cell", THEIRS)
VARIANTS = [
    ("rnn", "none", False), ("rnn", "additive", False), ("rnn", "general", True), ("gru", "none", False),
    ("gru", "additive", True), ("gru", "dot", False), ("gru", "general", False), ("lstm", "none", False),
    ("lstm", "additive", False), ("lstm", "additive", True), ("lstm", "dot", True), ("lstm", "general", False),
]  # fmt: skip


def build(cell, attention="additive", input_feeding=False, **sizes):
    torch.manual_seed(0)
    config = RecurrentConfig(
        **{"vocab_size": 13, "d_model": 8, "dropout": 0.0, **sizes},
        cell=cell, attention=attention, input_feeding=input_feeding,
    )  # fmt: skip
    model = build_model(config).double().eval()
    random_gains(model)
    return model


def test_every_cell_is_here():
    assert set(CELLS) == set(THEIRS) == set(MATRICES) == set(STATES)
    assert {cell: kind.state_size for cell, kind in CELLS.items()} == STATES


@every_cell
def test_the_written_out_step_is_torchs(cell):
    layer = CELLS[cell](6, 5).double()
    theirs = THEIRS[cell](6, 5, batch_first=True, dtype=torch.float64)
    random_gains(theirs)
    layer.load_state_dict(theirs.state_dict())
    x = torch.randn(3, 7, 6, dtype=torch.float64, requires_grad=True)
    start = tuple(torch.randn(STATES[cell], 3, 5, dtype=torch.float64))

    given = (start[0][None], start[1][None]) if cell == "lstm" else start[0][None]
    expected, last = theirs(x, given)
    state, steps = start, []
    for column in x.unbind(1):
        state = layer.step(column, state)
        steps.append(state[0])
    ours = torch.stack(steps, 1)

    torch.testing.assert_close(ours, expected, atol=1e-10, rtol=0)
    last = last if cell == "lstm" else (last,)
    torch.testing.assert_close(state, tuple(part[0] for part in last), atol=1e-10, rtol=0)
    torch.testing.assert_close(layer.run(x, start), expected, atol=1e-10, rtol=0)
    our_gradients = torch.autograd.grad(ours.square().sum(), (x, *layer.parameters()))
    their_gradients = torch.autograd.grad(expected.square().sum(), (x, *theirs.parameters()))
    for our_gradient, their_gradient in zip(our_gradients, their_gradients, strict=True):
        torch.testing.assert_close(our_gradient, their_gradient, atol=1e-10, rtol=0)


@every_cell
def test_both_directions_are_torchs_packed_bidirectional_layer(cell):
    theirs = THEIRS[cell](6, 4, batch_first=True, bidirectional=True, dtype=torch.float64)
    ours = BidirectionalLayer(cell, 6, 8).double()
    for layer, suffix in ((ours.rightward, ""), (ours.leftward, "_reverse")):
        names = ("weight_ih_l0", "weight_hh_l0", "bias_ih_l0", "bias_hh_l0")
        layer.load_state_dict({name: theirs.get_parameter(name + suffix) for name in names})
    x, lengths = torch.randn(3, 5, 6, dtype=torch.float64, requires_grad=True), torch.tensor([5, 1, 3])

    packed, _ = theirs(pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False))
    expected, _ = pad_packed_sequence(packed, batch_first=True)
    output = ours(x, lengths)

    real = torch.arange(5)[None] < lengths[:, None]
    torch.testing.assert_close(output[real], expected[real], atol=1e-10, rtol=0)
    (our_gradient,) = torch.autograd.grad(output[real].square().sum(), x)
    (their_gradient,) = torch.autograd.grad(expected[real].square().sum(), x)
    torch.testing.assert_close(our_gradient, their_gradient, atol=1e-10, rtol=0)


def test_reverse_within_leaves_padding_behind():
    x = torch.tensor([[1, 2, 3, 0], [4, 5, 6, 7]])[..., None]
    assert reverse_within(x, torch.tensor([3, 4]))[..., 0].tolist() == [[3, 2, 1, 0], [7, 6, 5, 4]]


@pytest.mark.parametrize(("cell", "attention", "input_feeding"), VARIANTS)
def test_the_whole_model_by_loops(cell, attention, input_feeding):
    """A padded batch with the fused kernels, and each sentence alone, written out: logits, weights, gradients."""
    model = build(cell, attention, input_feeding)
    source, target_in = torch.tensor([[5, 6, 7, 2], [8, 2, 0, 0]]), torch.tensor([[1, 9, 10], [1, 11, 0]])
    record = AttentionRecord()
    logits = model(source, target_in, record)
    assert len(record.cross) == (attention != "none")

    ours, theirs = [], []
    for row, (source_length, target_length) in enumerate([(4, 3), (2, 2)]):
        expected, weights = logits_by_loops(
            model, source[row, :source_length].tolist(), target_in[row, :target_length].tolist()
        )
        torch.testing.assert_close(logits[row, :target_length], expected, atol=1e-10, rtol=0)
        if weights is not None:
            seen = record.cross[0][row, 0, :target_length]
            torch.testing.assert_close(seen[:, :source_length], weights, atol=1e-10, rtol=0)
            assert (seen[:, source_length:] == 0).all()
        ours.append(logits[row, :target_length].square().sum())
        theirs.append(expected.square().sum())
    our_gradients = torch.autograd.grad(sum(ours), tuple(model.parameters()))
    their_gradients = torch.autograd.grad(sum(theirs), tuple(model.parameters()))
    for (name, _), our_gradient, their_gradient in zip(
        model.named_parameters(), our_gradients, their_gradients, strict=True
    ):
        torch.testing.assert_close(our_gradient, their_gradient, atol=1e-8, rtol=1e-8, msg=name)
        assert their_gradient.abs().max() > 0, f"{name}: a gradient of zero proves nothing"


@pytest.mark.parametrize(("cell", "attention", "input_feeding"), [("gru", "dot", True), ("rnn", "additive", True)])
def test_beams_keep_what_they_were_fed(cell, attention, input_feeding):
    """Sentences of a batch leave at other times and their beams change places; one sentence at a time nothing does."""
    model = build(cell, attention, input_feeding, vocab_size=17, d_model=16, encoder_layers=1)
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() > 1:
                torch.nn.init.normal_(parameter, std=0.5)
    source, options = sentences(4), SearchOptions(beam_size=3, stop="exact")
    together = beam_search(model, padded(source), 8, options)
    for row, sentence in zip(together, source, strict=True):
        (alone,) = beam_by_sentence.beam_search(model, torch.tensor([sentence]), 8, options)
        assert [hypothesis.ids for hypothesis in row] == [hypothesis.ids for hypothesis in alone]
        found, expected = ([hypothesis.log_prob for hypothesis in each] for each in (row, alone))
        assert found == pytest.approx(expected, abs=1e-10)


def test_a_step_that_feeds_several_tokens_records_the_last_look():
    model, record = build("gru", "general", True), AttentionRecord()
    state = model.start_decoding(torch.tensor([[5, 6, 2]]))
    model.next_token_logits(torch.tensor([[1, 9, 10]]), state, record)
    assert [list(weights.shape) for weights in record.cross] == [[1, 1, 1, 3]]
