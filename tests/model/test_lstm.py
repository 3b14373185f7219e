"""The LSTM against torch.nn.LSTM: one step, both directions with padding, and the whole model sentence by sentence."""

import pytest
import torch
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

from attendo.model.config import LSTMConfig
from attendo.model.lstm import LSTMSeq2Seq
from attendo.model.recurrence import BidirectionalLSTMLayer, LSTMLayer, reverse_within
from tests.reference.same import random_gains


def test_the_written_out_step_is_torchs_lstm():
    layer = LSTMLayer(6, 5).double()
    theirs = torch.nn.LSTM(6, 5, batch_first=True, dtype=torch.float64)
    random_gains(theirs)
    layer.load_state_dict(theirs.state_dict())
    x = torch.randn(3, 7, 6, dtype=torch.float64, requires_grad=True)
    h, c = torch.randn(2, 3, 5, dtype=torch.float64)

    expected, (last_h, last_c) = theirs(x, (h[None], c[None]))
    state, steps = (h, c), []
    for column in x.unbind(1):
        state = layer.step(column, state)
        steps.append(state[0])
    ours = torch.stack(steps, 1)

    torch.testing.assert_close(ours, expected, atol=1e-10, rtol=0)
    torch.testing.assert_close(state, (last_h[0], last_c[0]), atol=1e-10, rtol=0)
    torch.testing.assert_close(layer.run(x, (h, c)), expected, atol=1e-10, rtol=0)
    our_gradients = torch.autograd.grad(ours.square().sum(), (x, *layer.parameters()))
    their_gradients = torch.autograd.grad(expected.square().sum(), (x, *theirs.parameters()))
    for our_gradient, their_gradient in zip(our_gradients, their_gradients, strict=True):
        torch.testing.assert_close(our_gradient, their_gradient, atol=1e-10, rtol=0)


def test_both_directions_are_torchs_packed_bidirectional_lstm():
    theirs = torch.nn.LSTM(6, 4, batch_first=True, bidirectional=True, dtype=torch.float64)
    ours = BidirectionalLSTMLayer(6, 8).double()
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


@pytest.mark.parametrize("context", ["attention", "fixed"])
def test_the_whole_model_by_nn_lstm_one_sentence_at_a_time(context):
    """No padding, no batch: torch's stacked LSTMs with our weights, and attention by hand."""
    model = LSTMSeq2Seq(LSTMConfig(vocab_size=13, d_model=8, dropout=0.0, context=context)).double()
    random_gains(model)
    source = torch.tensor([[5, 6, 7, 2], [8, 2, 0, 0]])
    target_in = torch.tensor([[1, 9, 10], [1, 11, 0]])
    logits = model(source, target_in)

    encoder = torch.nn.LSTM(8, 4, 2, batch_first=True, bidirectional=True, dtype=torch.float64)
    decoder = torch.nn.LSTM(8, 8, 2, batch_first=True, dtype=torch.float64)
    with torch.no_grad():
        for n in range(2):
            for kind in ("weight_ih", "weight_hh", "bias_ih", "bias_hh"):
                encoder.get_parameter(f"{kind}_l{n}").copy_(model.encoder[n].rightward.get_parameter(f"{kind}_l0"))
                reverse = encoder.get_parameter(f"{kind}_l{n}_reverse")
                reverse.copy_(model.encoder[n].leftward.get_parameter(f"{kind}_l0"))
                decoder.get_parameter(f"{kind}_l{n}").copy_(model.decoder[n].get_parameter(f"{kind}_l0"))

    for row, (source_length, target_length) in enumerate([(4, 3), (2, 2)]):
        embedded = model.embedding.weight * 8**0.5
        memory, (last, _) = encoder(embedded[source[row, :source_length]][None])
        summary = torch.cat((last[2, 0], last[3, 0]))  # the top layer, rightward and leftward
        start = torch.tanh(model.bridge(summary)).view(2, 2, 8)  # [layer, h or c, d_model]
        h, _ = decoder(
            embedded[target_in[row, :target_length]][None], (start[:, :1].contiguous(), start[:, 1:].contiguous())
        )
        h = h[0]
        if context == "attention":
            attention = model.context.attention
            keys = memory[0] @ attention.key.weight.T + attention.key.bias
            scores = torch.tanh((h @ attention.query.weight.T)[:, None] + keys) @ attention.score.weight[0]
            h = model.context.combine(torch.cat((h, scores.softmax(-1) @ memory[0]), -1))
        torch.testing.assert_close(logits[row, :target_length], h @ model.embedding.weight.T, atol=1e-10, rtol=0)
