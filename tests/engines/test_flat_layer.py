"""The flat decoder layer against the layer it is made from: the same numbers, and the same for all it leaves alone."""

import copy
from dataclasses import replace

import pytest
import torch

from attendo.decoding.beam import beam_search
from attendo.decoding.flat_layer import FlatDecoderLayer
from attendo.decoding.layout import lay_out_for_decoding
from attendo.decoding.options import SearchOptions
from attendo.decoding.packed import PackedLinear
from attendo.model.build import build_model
from attendo.model.config import TransformerConfig
from attendo.model.record import AttentionRecord
from tests.decoding.families import model_of, padded, sentences

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

    def said():
        caches = copy.deepcopy(state.caches)
        return flat.decoder(x, state.memory, None, state.source_is_real, caches=caches)

    assert torch.equal(said(), said())
    flat.train()
    assert not torch.equal(said(), said())


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
    for options in (SearchOptions(beam_size=1), SearchOptions(beam_size=4, n_best=2)):
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
    kinds = {type(part) for part in packed.decoder.modules() if isinstance(part, torch.nn.Linear)}
    assert PackedLinear in kinds
    assert all(torch.equal(packed.state_dict()[name], value) for name, value in model.state_dict().items())

    rows = sentences(12)
    for options in (SearchOptions(beam_size=1), SearchOptions(beam_size=4, n_best=2)):
        expected = beam_search(model, padded(rows), 8, options)
        together = beam_search(packed, padded(rows), 8, options)
        alone = [beam_search(packed, padded([row]), 8, options)[0] for row in rows]
        for found in (together, alone):
            for one, other in zip(found, expected, strict=True):
                assert [each.ids for each in one] == [each.ids for each in other]
                assert [each.score for each in one] == pytest.approx([each.score for each in other], abs=1e-4)
