"""What is drawn is what the model computes: shapes by hooks, masks by loops, positions and rates by their formulas."""

import math
from dataclasses import replace

import pytest
import torch

from attendo.decoding.greedy import greedy_decode
from attendo.errors import InputError, UsageError
from attendo.inspection.drawings.architecture import architecture, draw_architecture
from attendo.inspection.drawings.draw import make_slide
from attendo.inspection.drawings.masks import draw_masks, mask_batch
from attendo.inspection.drawings.options import DRAWINGS, DrawOptions, check_drawing, chosen_config
from attendo.inspection.drawings.positions import draw_positions, position_table, worked_example
from attendo.inspection.drawings.qkv import attention_flow, draw_qkv
from attendo.inspection.drawings.schedule import schedules
from attendo.inspection.drawings.slide import shape_text, slide_style
from attendo.inspection.drawings.three_attentions import three_attentions
from attendo.inspection.drawings.training_and_inference import MOST_TOKENS, two_ways
from attendo.inspection.readable import token_labels
from attendo.model.build import build_model
from attendo.model.config import DecoderOnlyConfig, TransformerConfig
from attendo.model.presets import preset
from attendo.model.record import AttentionRecord
from tests.inspection.small_models import inspection, model, tokenizer

SIZES = {"vocab_size": 50, "d_model": 12, "d_ff": 20, "num_heads": 3}
NOTES_EXAMPLE = [0.9093, -0.4161, 0.1987, 0.9801, 0.0200, 0.9998, 0.0020, 0.999998]  # the notes' C173


def words_of(slide):
    return [text.get_text() for text in slide.texts()]


@pytest.mark.parametrize(
    "config",
    [
        TransformerConfig(**SIZES, encoder_layers=2, decoder_layers=3),
        TransformerConfig(**SIZES, encoder_layers=1, decoder_layers=1, norm_order="pre", positions="learned"),
        TransformerConfig(**SIZES, encoder_layers=1, decoder_layers=1, positions="none"),
        DecoderOnlyConfig(**SIZES, num_layers=2),
    ],
    ids=["post", "pre", "no positions", "decoder-only"],
)
def test_the_shapes_on_the_arrows_are_those_that_modules_give(config):
    """A real model with numbers, watched from outside; the drawing runs none."""
    batch, source, target = 3, 5, 4
    built, seen = build_model(config).eval(), []
    for name, module in built.named_modules():
        module.register_forward_hook(lambda _, __, output, name=name: seen.append((name, tuple(output.shape))))
    tokens = torch.randint(4, 50, (batch, source)), torch.randint(4, 50, (batch, target))
    built(*tokens) if isinstance(config, TransformerConfig) else built.language_model(tokens[1])
    shown = architecture(config, batch, source, target)
    stacks = {"source": "encoder.", "target": "decoder." if isinstance(config, TransformerConfig) else ""}
    for tower in shown.towers:
        stack = stacks[tower.side]
        given = dict(reversed(seen))  # the first call of each, that of the source where there are two
        if tower.side == "target":
            given["embedding"] = [shape for name, shape in seen if name == "embedding"][-1]
        assert tower.ids == (batch, source if tower.side == "source" else target)
        assert tower.embedded == given["embedding"]
        parts = ("self_attention", "cross_attention", "feed_forward")
        around = [given.get(f"{stack}layers.0.around_{part}") for part in parts]
        assert [sublayer.shape for sublayer in tower.sublayers] == [shape for shape in around if shape]
        assert tower.output == given[f"{stack}norm"]
        assert tower.logits == (given["output"] if tower.side == "target" else None)
        positions = {"source": "source_positions", "target": "target_positions"}[tower.side]
        added = config.positions in ("sinusoidal", "learned")
        assert tower.positioned == (given[positions] if added else None)
    with slide_style():
        said = " ".join(words_of(draw_architecture(shown, "tiny", "en")))
    assert all(shape_text(shape) in said for tower in shown.towers for shape in tower.shapes())
    assert ("Add & Norm" in said) == (config.norm_order == "post")


def test_masks_are_those_of_loops():
    batch = mask_batch(["老师爱", "老师"], tokenizer())
    labels, short = batch.labels[batch.shown], batch.labels[1]
    assert labels == short
    assert labels.count("<pad>") >= 1
    assert not batch.labels[0].count("<pad>")
    for query in range(len(labels)):
        for key in range(len(labels)):
            assert batch.padding[query, key] == (labels[key] != "<pad>")
            assert batch.causal[query, key] == (key <= query)
            assert batch.both[query, key] == (labels[key] != "<pad>" and key <= query)
    with slide_style():
        cells = [int(words) for words in words_of(draw_masks(batch, "zh")) if words in ("0", "1")]
    assert cells == [int(cell) for mask in (batch.padding, batch.causal, batch.both) for cell in mask.flatten()]


def test_positions_are_the_formula():
    table = position_table(preset("base"), count=9)
    for pos in (0, 1, 8):
        for i in (0, 7, 255):
            angle = pos / 10000 ** (2 * i / 512)
            assert table.numbers[pos, 2 * i] == pytest.approx(math.sin(angle), abs=1e-6)
            assert table.numbers[pos, 2 * i + 1] == pytest.approx(math.cos(angle), abs=1e-6)
    example = worked_example()
    assert [one.number for one in example] == pytest.approx(NOTES_EXAMPLE, abs=5e-5)
    assert all(getattr(math, one.function)(one.angle) == pytest.approx(one.number) for one in example)
    with slide_style():
        said = words_of(draw_positions(table, "en"))
    assert [f"{one.number:.6f}" for one in example if f"{one.number:.6f}" not in said] == []


def test_learned_positions_are_the_models_own():
    learned = model("learned")
    table = position_table(learned.config, learned)
    assert (table.numbers == learned.source_positions.weight.detach().numpy()).all()
    with pytest.raises(InputError, match="expected --model"):
        position_table(learned.config)
    with pytest.raises(InputError, match="no positions to draw"):
        position_table(preset("lstm"))


def test_rates_are_equation_3_and_half_a_cosine():
    drawn = schedules(512, 400, 2_000, peak=1e-3)
    for curve in drawn.noam:
        warmup = curve.config.warmup_steps
        for step, rate in zip(curve.steps, curve.rates, strict=True):
            assert rate == pytest.approx(curve.d_model**-0.5 * min(step**-0.5, step * warmup**-1.5))
        assert curve.peak == (warmup, pytest.approx((curve.d_model * warmup) ** -0.5))
    top = drawn.cosine[0]
    assert top.peak == (400, pytest.approx(2e-3))
    halfway = 2e-3 * (1 + math.cos(math.pi * (top.steps[200] - 400) / 1_600)) / 2
    assert top.rates[200] == pytest.approx(halfway)
    assert top.rates[-1] == pytest.approx(0, abs=1e-12)


def test_q_k_and_v_are_those_of_the_pass():
    built = model("transformer")
    source = torch.tensor([[5, 300, 301, 302, 2]])
    flow = attention_flow(built, source, layer=2, head=2)
    record = AttentionRecord()
    built.encode(source, record)
    assert torch.tensor(flow.numbers["weights"]).allclose(record.encoder_self[1][0, 1], atol=1e-6)
    attention = built.encoder.layers[1].self_attention
    x = torch.tensor(flow.numbers["X"])
    assert torch.tensor(flow.numbers["output"]).allclose(attention(x[None], x[None])[0], atol=1e-5)
    width = built.config.head_dim
    for name in ("Q", "K", "V"):
        assert (flow.numbers[f"{name} head"] == flow.numbers[name][:, width:]).all()
    assert flow.numbers["concat"][:, width:] == pytest.approx(flow.numbers["looked"], abs=1e-5)
    with torch.device("meta"):
        sketched = attention_flow(build_model(built.config), torch.ones(1, 5, dtype=torch.long))
    assert sketched.shapes == flow.shapes
    assert not sketched.numbers
    for name in ("X", "Q", "K", "V", "concat", "output"):
        assert flow.shapes[name] == flow.numbers[name].shape == (5, 16)
    assert flow.shapes["heads"] == flow.shapes["looked"] == (2, 5, 8)
    assert flow.shapes["scores"] == flow.shapes["weights"] == (2, 5, 5)


def test_rotary_queries_and_keys_are_turned_before_they_meet():
    torch.manual_seed(1)
    built = build_model(replace(model("transformer").config, positions="rotary")).eval()
    source = torch.tensor([[5, 300, 301, 302, 2]])
    flow = attention_flow(built, source)
    record = AttentionRecord()
    built.encode(source, record)
    assert torch.tensor(flow.numbers["weights"]).allclose(record.encoder_self[0][0, 0], atol=1e-6)
    assert flow.numbers["concat"][:, : built.config.head_dim] == pytest.approx(flow.numbers["looked"], abs=1e-5)
    assert not torch.tensor(flow.numbers["Q head"]).allclose(torch.tensor(flow.numbers["Q"][:, :8]), atol=1e-3)


def test_three_attentions_have_the_weights_of_the_last_layer():
    found = inspection("transformer", "老师爱")
    encoder, decoder, cross = three_attentions(found)
    for one, layers in (
        (encoder, found.record.encoder_self),
        (decoder, found.record.decoder_self),
        (cross, found.record.cross),
    ):
        assert torch.tensor(one.weights).allclose(layers[-1][0].mean(0), atol=1e-6)
        assert one.weights.sum(-1) == pytest.approx(1.0, abs=1e-5)
        assert not one.weights[~one.allowed].any()
    assert not decoder.allowed[0, 1:].any()
    assert encoder.allowed.all()
    assert cross.allowed.all()
    with pytest.raises(InputError, match="expected a transformer model"):
        three_attentions(inspection("decoder-only", "老师爱"))


@torch.inference_mode()
def test_training_and_inference_give_the_probabilities_of_the_model():
    built, words = model("transformer"), tokenizer()
    source, target = words.source_ids("老师爱", "en"), (300, 301, 302, 2)
    shown = two_ways(built, words, source, target)
    sources = torch.tensor([source])
    for index, one in enumerate(shown.training):  # each prefix by itself, as if nothing came after it
        prefix = torch.tensor([[1, *target[:index]]])
        probability = float(built(sources, prefix)[0, -1].softmax(-1)[target[index]])
        assert one.probability == pytest.approx(probability, rel=1e-4)
        assert one.loss == pytest.approx(-math.log(probability), rel=1e-4)
    greedy = greedy_decode(built, sources, MOST_TOKENS)[0].tolist()
    names = token_labels(greedy, words)
    assert [one.written for one in shown.inference] == [names[token] for token in greedy]
    assert shown.inference[0].so_far == ("<s>",)
    for before, after in zip(shown.inference, shown.inference[1:], strict=False):
        assert after.so_far == (*before.so_far, before.written)
    with pytest.raises(InputError, match="room for 9"):
        two_ways(built, words, source, (300,) * 12)


def test_what_is_asked_of_a_drawing_must_belong_to_it():
    for name in DRAWINGS:
        check_drawing(name, DrawOptions())
    for name, options, message in (
        ("architektur", DrawOptions(), "did you mean 'architecture'"),
        ("nothing", DrawOptions(), ", ".join(DRAWINGS)),
        (
            "masks",
            DrawOptions(num_heads=2),
            "--heads does not belong to the drawing 'masks', which takes --model, --text",
        ),
        ("architecture", DrawOptions(model="m", d_model=8), "--model and --d-model exclude each other"),
    ):
        with pytest.raises(UsageError, match=message):
            check_drawing(name, options)


def test_nothing_to_draw_gets_a_line():
    with pytest.raises(InputError, match="there is no text to look at"):
        mask_batch(["老师", " "], tokenizer())
    with pytest.raises(UsageError, match="--steps is 10 and --warmup 4,000: expected more steps than warmup"):
        make_slide("schedule", DrawOptions(max_steps=10), "en")


def test_sizes_change_a_preset():
    asked = DrawOptions(d_model=64, num_heads=2, num_layers=3, d_ff=99, vocab_size=1000, norm_order="pre")
    base = preset("base", 1000)
    assert chosen_config(asked) == replace(
        base, d_model=64, num_heads=2, encoder_layers=3, decoder_layers=3, d_ff=99, norm_order="pre"
    )
    assert chosen_config(DrawOptions(preset="llama-7b", num_layers=2)).num_layers == 2
    with pytest.raises(UsageError, match="the preset 'lstm' has no num_heads"):
        chosen_config(DrawOptions(preset="lstm", num_heads=2))


def test_an_attention_that_is_not_the_papers_is_named():
    grouped = DecoderOnlyConfig(**SIZES, num_layers=1, num_kv_heads=1)
    additive = TransformerConfig(**SIZES, encoder_layers=1, decoder_layers=1, compatibility="additive")
    with slide_style():
        assert "heads of keys and values: 1" in " ".join(words_of(draw_architecture(architecture(grouped), "g", "en")))
        assert "w·tanh(q + k)" in " ".join(words_of(draw_architecture(architecture(additive), "a", "zh")))
        model, record = build_model(additive).eval(), AttentionRecord()
        source = torch.tensor([[5, 6, 7, 2]])
        flow = attention_flow(model, source, list("abc."), head=2)
        assert "w·tanh(q + k)" in words_of(draw_qkv(flow, "en"))
    model.encode(source, record)
    torch.testing.assert_close(torch.tensor(flow.numbers["weights"]), record.encoder_self[0][0, 1])
