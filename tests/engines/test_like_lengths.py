"""A batch encoded in parts of like length against the batch encoded at once."""

import pytest
import torch

from attendo.model.build import build_model
from attendo.model.config import TransformerConfig
from attendo.model.like_lengths import ALIKE, ENOUGH, encode_in_parts, part_sizes
from attendo.model.record import AttentionRecord

CONFIG = TransformerConfig(
    vocab_size=50, d_model=16, d_ff=24, num_heads=2, encoder_layers=2, decoder_layers=1, dropout=0.0
)


def sources(lengths, width=0):
    rows = [torch.randint(3, 50, (length,)) for length in lengths]
    padded = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)
    return torch.nn.functional.pad(padded, (0, max(0, width - padded.shape[1])))


@pytest.mark.parametrize("lengths", [[5], [40, 3, 90, 61, 3, 88, 120], [100] * 5, [1] * 300, [200, 0, 200, 7]])
def test_the_same_memory_where_the_source_is_real(lengths):
    model = build_model(CONFIG).double().eval()
    source = sources(lengths, width=130)
    with torch.inference_mode():
        found, expected = encode_in_parts(model.encode, source, 0), model.encode(source)
    assert found.shape == expected.shape
    real = source != 0
    torch.testing.assert_close(found[real], expected[real], atol=1e-12, rtol=1e-12)
    assert found.isfinite().all()


def test_little_is_computed_for_nothing():
    shapes = []

    def encode(part):
        shapes.append(tuple(part.shape))
        return part[..., None].double()

    source = sources([100, 9, 4, 95, 7] + [10] * 25)
    memory = encode_in_parts(encode, source, 0)
    assert torch.equal(memory[..., 0], source.double())
    assert shapes == [(2, 100), (26, 10), (2, 7)]
    assert encode_in_parts(encode, source[:1], 0).shape == (1, 100, 1)
    assert encode_in_parts(encode, source[:0], 0).shape == (0, 100, 1)


def test_parts_have_enough_tokens_and_whoever_is_nearly_as_long():
    assert (ENOUGH, ALIKE) == (192, 0.8)
    assert part_sizes([100, 95, 90, 60, 50]) == [3, 2]
    assert part_sizes([300, 200, 100]) == [1, 1, 1]
    assert part_sizes([20] * 100) == [100]
    assert part_sizes([7]) == [1]
    assert part_sizes([]) == [0]


def test_a_record_shows_the_whole_batch():
    model, source, record = build_model(CONFIG).eval(), sources([90, 80, 70, 60]), AttentionRecord()
    model.start_decoding(source, record)
    assert [tuple(weights.shape) for weights in record.encoder_self] == [(4, 2, 90, 90)] * 2
