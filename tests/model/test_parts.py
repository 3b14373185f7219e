"""Parts handed in: another attention, relative positions, a norm, an embedding; and the standard ones."""

import math

import pytest
import torch
from torch import nn

from attendo.decoding.beam import beam_search
from attendo.decoding.options import SearchOptions
from attendo.engines.cuda.search import device_beam_search, suits
from attendo.engines.torch_engine import TorchEngine
from attendo.model.attention import masked_softmax
from attendo.model.build import build_model
from attendo.model.config import DecoderOnlyConfig, EncoderOnlyConfig, TransformerConfig
from attendo.model.embeddings import TokenEmbedding
from attendo.model.multi_head import MultiHeadAttention
from attendo.model.norms import LayerNorm
from attendo.model.parts import Parts
from attendo.model.positions import Positions
from attendo.model.record import AttentionRecord
from attendo.model.transformer import Transformer
from tests.decoding.families import padded, sentences

SIZES = {"vocab_size": 17, "d_model": 16, "d_ff": 24, "num_heads": 2, "dropout": 0.0}
CONFIG = TransformerConfig(**SIZES, encoder_layers=2, decoder_layers=2)


class CosineAttention(MultiHeadAttention):
    """Another attention: queries and keys are compared by their angle alone, sharpened by a learned factor."""

    def __init__(self, *sizes, **settings):
        super().__init__(*sizes, **settings)
        self.sharpness = nn.Parameter(torch.ones(()))

    def attend(self, q, k, v, may_attend, record):
        q, k = (nn.functional.normalize(x, dim=-1) * q.shape[-1] ** 0.5 for x in (q, k))
        return super().attend(self.sharpness * q, k, v, may_attend, record)


class RelativeAttention(MultiHeadAttention):
    """Relative positions: a learned number for each head and each distance of a key (Raffel et al. 2020)."""

    reach = 4  # further away is as far as this

    def __init__(self, *sizes, **settings):
        super().__init__(*sizes, **settings)
        self.by_distance = nn.Parameter(torch.zeros(self.num_heads, 2 * self.reach + 1))

    def attend(self, q, k, v, may_attend, record):
        queries, keys = q.shape[2], k.shape[2]
        at = torch.arange(keys, device=q.device)
        distance = (at - at[keys - queries :, None]).clamp(-self.reach, self.reach) + self.reach  # [queries, keys]
        scores = q @ k.transpose(-2, -1) / math.sqrt(q.shape[-1]) + self.by_distance[:, distance]
        weights = masked_softmax(scores, may_attend)
        if record is not None:
            record.append(weights.detach())
        return weights @ v


ANOTHER_ATTENTION = Parts(self_attention=CosineAttention.from_config, cross_attention=CosineAttention.from_config)
RELATIVE = Parts(self_attention=RelativeAttention.from_config, positions=lambda config: Positions())
VARIANTS = {"another attention": ANOTHER_ATTENTION, "relative positions": RELATIVE}


def built(parts, seed=0):
    """Weights large enough that what was said and read matters."""
    torch.manual_seed(seed)
    model = Transformer(CONFIG, parts).double()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.normal_(std=0.5)
    return model.eval()


@pytest.mark.parametrize(
    "config", [CONFIG, DecoderOnlyConfig(**SIZES, num_layers=2), EncoderOnlyConfig(**SIZES, num_layers=2)]
)
def test_the_standard_parts_are_the_model(config):
    """Handed in by hand they give the same weights from the same seed."""
    torch.manual_seed(3)
    expected = build_model(config).state_dict()
    torch.manual_seed(3)
    found = build_model(
        config,
        Parts(
            self_attention=lambda config: MultiHeadAttention(
                config.d_model, config.num_heads, bias=config.bias, dropout=config.attention_dropout
            )
        ),
    ).state_dict()
    assert list(found) == list(expected)
    assert all(torch.equal(found[name], value) for name, value in expected.items())


@pytest.mark.parametrize("name", VARIANTS)
def test_a_variant_learns(name):
    """A step downhill lowers the loss, and the new parameters move."""
    torch.manual_seed(0)
    model = Transformer(CONFIG, VARIANTS[name])
    source, target = padded(sentences(6)), torch.randint(4, 17, (6, 5))
    optimizer = torch.optim.Adam(model.parameters(), lr=3e-3)
    losses = []
    for _ in range(30):
        loss = nn.functional.cross_entropy(model(source, target[:, :-1]).flatten(0, 1), target[:, 1:].flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    assert losses[-1] < 0.7 * losses[0]
    new = [value for key, value in model.named_parameters() if key.endswith(("sharpness", "by_distance"))]
    assert new
    assert all(value.grad is not None and value.grad.abs().sum() > 0 for value in new)


@pytest.mark.parametrize("name", VARIANTS)
def test_a_variant_decodes_with_its_cache_as_without(name):
    model, source = built(VARIANTS[name]), padded(sentences(3))
    target_in = torch.cat((torch.ones(3, 1, dtype=torch.long), torch.randint(3, 17, (3, 6))), dim=1)
    with torch.inference_mode():
        expected = model(source, target_in)
        state = model.start_decoding(source)
        for at in range(target_in.shape[1]):
            found = model.next_token_logits(target_in[:, at : at + 1], state)
            torch.testing.assert_close(found, expected[:, at], atol=1e-10, rtol=1e-10)


@pytest.mark.parametrize("name", VARIANTS)
def test_every_search_gives_a_variant_the_same_answers(name):
    """The device search and the flat layers of a CPU know the standard parts alone, and leave others alone."""
    model, source = built(VARIANTS[name]), padded(sentences(5))
    options = SearchOptions(beam_size=3, n_best=2)
    assert not suits(model, options, 8)
    expected = [[each.ids for each in found] for found in beam_search(model, source, 8, options)]
    assert [[each.ids for each in found] for found in device_beam_search(model, source, 8, options)] == expected
    engine = TorchEngine(model, torch.device("cpu"))
    found = beam_search(engine.model, source, 8, options)
    assert [[each.ids for each in answers] for answers in found] == expected


def test_relative_positions_see_the_order_that_the_model_is_not_told():
    source, target_in = torch.tensor([[5, 6, 7, 2]]), torch.tensor([[1, 8, 9]])
    turned = torch.tensor([[7, 6, 5, 2]])
    bag = built(Parts(positions=lambda config: Positions()))
    torch.testing.assert_close(bag(source, target_in), bag(turned, target_in), atol=1e-10, rtol=0)
    relative = built(RELATIVE)
    assert (relative(source, target_in) - relative(turned, target_in)).abs().max() > 1e-3


def test_a_variant_is_recorded():
    record = AttentionRecord()
    built(RELATIVE)(padded(sentences(2)), torch.tensor([[1, 5], [1, 6]]), record)
    assert [len(each) for each in (record.encoder_self, record.decoder_self, record.cross)] == [2, 2, 2]


def test_a_norm_and_an_embedding_are_handed_in_too():
    class Doubled(LayerNorm):
        def forward(self, x):
            return 2 * super().forward(x)

    parts = Parts(
        norm=lambda config: Doubled(config.d_model, config.norm_eps),
        embedding=lambda config: TokenEmbedding(config.vocab_size, config.d_model),
    )
    torch.manual_seed(0)
    model = Transformer(CONFIG, parts)
    torch.manual_seed(0)
    usual = Transformer(CONFIG)
    assert sum(isinstance(part, Doubled) for part in model.modules()) == 2 * 2 + 2 * 3
    assert all(torch.equal(*pair) for pair in zip(model.parameters(), usual.parameters(), strict=True))
    tokens = torch.tensor([[5, 2]])
    torch.testing.assert_close(4 * model.embedding(tokens), usual.embedding(tokens))
