"""The model laid out for a CPU against the model itself: flat layers, packed matrices, a batch encoded in parts."""

import copy
from dataclasses import replace

import pytest
import torch
from torch import nn

from attendo.decoding.beam import beam_search
from attendo.decoding.options import SearchOptions
from attendo.engines.torch_cpu import (
    ALIKE,
    ENOUGH_TOKENS,
    FEW_ROWS,
    TABLE_ROWS,
    FlatDecoderLayer,
    PackedLinear,
    PartwiseEncoding,
    PositionTable,
    encode_in_parts,
    lay_out_for_decoding,
    pack,
    part_sizes,
)
from attendo.engines.torch_engine import padded_tensor
from attendo.model.build import build_model
from attendo.model.config import TransformerConfig
from attendo.model.positions import SinusoidalPositions
from attendo.model.record import AttentionRecord
from attendo.special_tokens import pad_rows
from tests.decoding.families import FAMILIES, VOCAB, model_of, padded, sentences

PAPERS = TransformerConfig(
    vocab_size=17, d_model=16, d_ff=24, num_heads=2, encoder_layers=1, decoder_layers=2, dropout=0.1
)
AS_IN_THE_PAPER = {
    "the paper's": PAPERS,
    "GELU": replace(PAPERS, activation="gelu"),
    "learned positions": replace(PAPERS, positions="learned", max_length=20),
    "rotary": replace(PAPERS, positions="rotary"),
    "another ε": replace(PAPERS, norm_eps=1e-2),
    "narrow": replace(PAPERS, d_ff=8),
    "sines first": replace(PAPERS, positions="sinusoidal-halves"),
    "two tables, output bias": replace(PAPERS, activation="swish", shared_embedding=False, output_bias=True),
}
OTHERS = {
    "pre-norm": replace(PAPERS, norm_order="pre"),
    "RMSNorm": replace(PAPERS, norm="rms"),
    "SwiGLU": replace(PAPERS, activation="swiglu"),
    "no bias": replace(PAPERS, bias=False),
}


def both(config):
    """A model with values that can be seen in every parameter, and the same laid out."""
    model = build_model(config).double().eval()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(std=0.5)
    flat = copy.deepcopy(model)
    lay_out_for_decoding(flat)
    return model, flat


@pytest.mark.parametrize("name", AS_IN_THE_PAPER | OTHERS)
def test_the_same_logits_step_by_step(name):
    """First a row for each sentence, then three beams that share its memory; some beams fork, one sentence leaves."""
    model, flat = both((AS_IN_THE_PAPER | OTHERS)[name])
    kinds = {type(layer) is FlatDecoderLayer for layer in flat.decoder.layers}
    assert kinds == {name in AS_IN_THE_PAPER}
    source = padded(sentences(3))
    with torch.inference_mode():
        states = [each.start_decoding(source) for each in (model, flat)]
        for step in range(9):
            rows = 3 if step < 2 else 9 if step < 5 else 6
            tokens = torch.randint(3, 17, (rows, 1))
            expected, found = (
                each.next_token_logits(tokens, state) for each, state in zip((model, flat), states, strict=True)
            )
            torch.testing.assert_close(found, expected, atol=1e-12, rtol=1e-12)
            index = {
                1: [[0, 0, 0], [1, 1, 1], [2, 2, 2]],
                3: [[1, 0, 1], [3, 4, 5], [8, 8, 8]],
                4: [[2, 1, 0], [8, 7, 6]],
            }
            if step in index:
                for state in states:
                    state.reorder(torch.tensor(index[step]))


def test_the_same_for_all_that_is_no_plain_step():
    model, flat = both(PAPERS)
    source, target_in = padded(sentences(3)), torch.randint(3, 17, (3, 5))
    records = AttentionRecord(), AttentionRecord()
    with torch.inference_mode():
        torch.testing.assert_close(flat(source, target_in), model(source, target_in), atol=1e-12, rtol=1e-12)
        states = [each.start_decoding(source) for each in (model, flat)]
        for tokens in (target_in[:, :3], target_in[:, 3:4], target_in[:, 4:]):
            expected, found = (
                each.next_token_logits(tokens, state, record)
                for each, state, record in zip((model, flat), states, records, strict=True)
            )
            torch.testing.assert_close(found, expected, atol=1e-12, rtol=1e-12)
    for one, other in zip(records[0].cross, records[1].cross, strict=True):
        torch.testing.assert_close(one, other, atol=1e-12, rtol=1e-12)


def test_dropout_is_not_forgotten_in_training():
    _, flat = both(replace(PAPERS, dropout=0.5))
    state = flat.start_decoding(padded(sentences(3)))
    x = torch.ones(3, 1, 16, dtype=torch.float64)

    def decoded():
        caches = copy.deepcopy(state.caches)
        return flat.decoder(x, state.memory, None, state.source_is_real, caches=caches)

    assert torch.equal(decoded(), decoded())
    flat.train()
    assert not torch.equal(decoded(), decoded())


def test_names_and_values_of_the_weights_stay_and_none_is_there_twice():
    model, flat = both(PAPERS)
    expected, found = model.state_dict(), flat.state_dict()
    assert list(found) == list(expected)
    for name, value in expected.items():
        assert torch.equal(found[name], value), name
    layer = flat.decoder.layers[0]
    matrices = [layer.self_attention.query.weight, layer.self_attention.key.weight, layer.self_attention.value.weight]
    assert len({matrix.untyped_storage().data_ptr() for matrix in matrices}) == 1


@pytest.mark.parametrize("dtype", [torch.float64, torch.float32])
def test_alone_as_in_a_batch_of_64(dtype):
    model, rows = model_of("transformer", dtype=dtype, eos=1.0), sentences(64)
    lay_out_for_decoding(model)
    for options in (SearchOptions(beam_size=1), SearchOptions(beam_size=4, n_best=2, stop="exact")):
        together = beam_search(model, padded(rows, width=14), 8, options)
        for n in range(0, 64, 6):
            alone = beam_search(model, padded([rows[n]]), 8, options)[0]
            assert [each.ids for each in alone] == [each.ids for each in together[n]]


def test_a_model_elsewhere_is_left_alone():
    with torch.device("meta"):
        model = build_model(PAPERS)
    lay_out_for_decoding(model)
    assert type(model.decoder.layers[0]) is not FlatDecoderLayer


def test_large_matrices_are_packed_and_say_the_same():
    large = replace(PAPERS, d_model=512, d_ff=512, num_heads=8, encoder_layers=2)
    model = build_model(large).eval()
    packed = copy.deepcopy(model)
    lay_out_for_decoding(packed)
    assert any(isinstance(part, PackedLinear) for part in packed.decoder.modules())
    assert all(torch.equal(packed.state_dict()[name], value) for name, value in model.state_dict().items())

    rows = sentences(12)
    for options in (SearchOptions(beam_size=1), SearchOptions(beam_size=4, n_best=2, stop="exact")):
        expected = beam_search(model, padded(rows), 8, options)
        together = beam_search(packed, padded(rows), 8, options)
        alone = [beam_search(packed, padded([row]), 8, options)[0] for row in rows]
        for found in (together, alone):
            for one, other in zip(found, expected, strict=True):
                assert [each.ids for each in one] == [each.ids for each in other]
                assert [each.score for each in one] == pytest.approx([each.score for each in other], abs=1e-4)


@pytest.mark.parametrize("family", FAMILIES)
def test_another_order_in_memory_changes_nothing(family):
    model, source = model_of(family, eos=1.0), padded(sentences(6))
    before = beam_search(model, source, 7, SearchOptions(n_best=2, stop="exact"))
    weight = model.output.weight.detach().clone()
    lay_out_for_decoding(model)
    assert torch.equal(model.output.weight, weight)
    assert model.output.weight.stride() == (1, VOCAB)
    after = beam_search(model, source, 7, SearchOptions(n_best=2, stop="exact"))
    assert [[each.ids for each in of_one] for of_one in after] == [[each.ids for each in of_one] for of_one in before]


@pytest.mark.parametrize(
    "positions", [[[0, 1, 2]], [[TABLE_ROWS - 2, TABLE_ROWS - 1]], [[TABLE_ROWS - 1, TABLE_ROWS]], [[3], [0]]]
)
def test_positions_looked_up_are_those_computed(positions):
    ids = torch.tensor(positions)
    x = torch.randn(len(positions), ids.shape[1], 16)
    computed = SinusoidalPositions(16)
    end = int(ids.max()) + 1
    assert torch.equal(PositionTable(computed)(x, ids, end), computed(x, ids, end))
    assert PositionTable(computed)(x.double(), ids, end).dtype == torch.float64


# --- packed matrices

SHAPES = {"wide": (1000, 256), "narrow": (256, 1000), "square": (512, 512)}  # outputs, inputs

needs_onednn = pytest.mark.skipif(not torch.backends.mkldnn.is_available(), reason="this torch has no oneDNN")


def linear_of(shape, *, by_columns, bias=True):
    outputs, inputs = shape
    linear = nn.Linear(inputs, outputs, bias=bias)
    if by_columns:
        linear.weight = nn.Parameter(linear.weight.detach().t().contiguous().t())
    return linear.requires_grad_(False)


@needs_onednn
@pytest.mark.parametrize("by_columns", [False, True])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_a_packed_matrix_says_the_same_for_any_number_of_rows(shape, by_columns):
    linear = linear_of(shape, by_columns=by_columns, bias=not by_columns)
    quick = pack(linear)
    assert type(quick) is PackedLinear
    exact = copy.deepcopy(linear).double()
    for size in ((1,), (1, 1), (2,), (4, 1), (1, 24), (FEW_ROWS,), (FEW_ROWS + 1,), (0,), ()):
        x = torch.randn(*size, shape[1])
        expected = exact(x.double()).float()
        torch.testing.assert_close(quick(x), expected, atol=1e-5, rtol=1e-5)
        assert quick(x).shape == expected.shape
    x = torch.randn(4, 2, shape[1]).transpose(0, 1)[:, :1]  # rows that do not lie together
    torch.testing.assert_close(quick(x), exact(x.double()).float(), atol=1e-5, rtol=1e-5)
    x = torch.randn(shape[1], 1).t()
    torch.testing.assert_close(quick(x), exact(x.double()).float(), atol=1e-5, rtol=1e-5)


@needs_onednn
def test_names_and_values_of_a_packed_matrix_stay():
    linear = linear_of(SHAPES["wide"], by_columns=False)
    found = pack(linear).state_dict()
    assert list(found) == ["weight", "bias"]
    assert torch.equal(found["weight"], linear.weight)


def test_small_matrices_and_other_precisions_are_left_alone():
    small, double = nn.Linear(16, 16), linear_of(SHAPES["wide"], by_columns=False).double()
    assert pack(small) is small
    assert pack(double) is double


# --- a batch in parts

TINY = TransformerConfig(
    vocab_size=50, d_model=16, d_ff=24, num_heads=2, encoder_layers=2, decoder_layers=1, dropout=0.0
)


def sources_of(lengths, width=0):
    rows = [torch.randint(3, 50, (length,)) for length in lengths]
    batch = torch.nn.utils.rnn.pad_sequence(rows, batch_first=True)
    return torch.nn.functional.pad(batch, (0, max(0, width - batch.shape[1])))


@pytest.mark.parametrize("lengths", [[5], [40, 3, 90, 61, 3, 88, 120], [100] * 5, [1] * 300, [200, 0, 200, 7]])
def test_the_same_memory_where_the_source_is_real(lengths):
    model = build_model(TINY).double().eval()
    source = sources_of(lengths, width=130)
    with torch.inference_mode():
        found, expected = encode_in_parts(model.encode, source), model.encode(source)
    assert found.shape == expected.shape
    real = source != 0
    torch.testing.assert_close(found[real], expected[real], atol=1e-12, rtol=1e-12)
    assert found.isfinite().all()


def test_little_is_computed_for_nothing():
    shapes = []

    def encode(part):
        shapes.append(tuple(part.shape))
        return part[..., None].double()

    source = sources_of([100, 9, 4, 95, 7] + [10] * 25)
    memory = encode_in_parts(encode, source)
    assert torch.equal(memory[..., 0], source.double())
    assert shapes == [(2, 100), (26, 10), (2, 7)]
    assert encode_in_parts(encode, source[:1]).shape == (1, 100, 1)
    assert encode_in_parts(encode, source[:0]).shape == (0, 100, 1)


def test_parts_have_enough_tokens_and_whoever_is_nearly_as_long():
    assert (ENOUGH_TOKENS, ALIKE) == (192, 0.8)
    assert part_sizes([100, 95, 90, 60, 50]) == [3, 2]
    assert part_sizes([300, 200, 100]) == [1, 1, 1]
    assert part_sizes([20] * 100) == [100]
    assert part_sizes([7]) == [1]
    assert part_sizes([]) == [0]


def test_search_starts_from_the_parts():
    model, source = build_model(TINY).double().eval(), sources_of([90, 80, 70, 9, 8, 7])
    state, expected = PartwiseEncoding(model).start_decoding(source), model.start_decoding(source)
    real = source != 0
    torch.testing.assert_close(state.memory[real], expected.memory[real], atol=1e-12, rtol=1e-12)
    assert torch.equal(state.source_is_real, expected.source_is_real)


def test_a_record_shows_the_whole_batch():
    model, source, record = build_model(TINY).eval(), sources_of([90, 80, 70, 60]), AttentionRecord()
    model.start_decoding(source, record)
    assert [tuple(weights.shape) for weights in record.encoder_self] == [(4, 2, 90, 90)] * 2


@pytest.mark.parametrize("rows", [[(5, 6, 2)], [(5, 2), (), (5, 6, 7, 2)], [()], [], [range(300, 340), [1]]])
def test_rows_are_padded_as_lists_of_lists_are(rows):
    found, expected = padded_tensor(rows), torch.tensor(pad_rows(rows))
    assert found.tolist() == expected.tolist()
    assert found.shape == expected.shape
