"""L42, L43 and L56, which change the model that came with the package or count in it: exact, and able to say no."""

from functools import partial

import pytest
import torch

from attendo.lab.attention import l42_one_head_left, l43_own_word, l56_divisor
from attendo.lab.tools import given_translations as given
from attendo.lab.tools.default_model import default_model
from attendo.model.attention import dot_product_attention
from attendo.model.multi_head import MultiHeadAttention
from attendo.special_tokens import SPECIAL
from tests.lab.planted import small_runs, verdict


@pytest.fixture
def layer():
    torch.manual_seed(1)
    return MultiHeadAttention(16, 4).double().eval()


@pytest.fixture
def x():
    return torch.randn(2, 5, 16, dtype=torch.float64, generator=torch.Generator().manual_seed(2))


def heads_of(layer, x, divide=2.0):
    """Written out: [batch, length, heads, width], scores divided by √4 unless something else is said."""
    q, k, v = (layer.split_heads(part(x)) for part in (layer.query, layer.key, layer.value))
    return dot_product_attention(q * 2.0 / divide, k, v)[0].transpose(1, 2)


def test_a_silenced_head_adds_nothing(layer, x):
    heads = heads_of(layer, x)
    heads[:, :, [0, 1, 3]] = 0
    expected = layer.output(heads.flatten(2))
    given.leave_heads([2], layer)
    torch.testing.assert_close(layer(x, x), expected)


def test_scores_are_divided_by_something_else(layer, x):
    expected = layer.output(heads_of(layer, x, divide=7.0).flatten(2))
    given.divide_by(7.0, layer)
    torch.testing.assert_close(layer(x, x), expected)


def test_losses_are_the_model_s_and_the_model_stays_as_it_is():
    model, tokenizer = default_model()
    batch = given.given_translations(tokenizer, 1)
    found = given.sentence_losses(model, batch)
    assert found.shape == (4, 3)
    changed = given.changed_copy(model, ["encoder", "cross"], partial(given.leave_heads, [0]))
    assert given.mean_loss(given.sentence_losses(changed, batch)) > given.mean_loss(found)
    torch.testing.assert_close(given.sentence_losses(model, batch), found)
    first = batch.target_out[0][batch.target_out[0] != SPECIAL.pad]
    source = batch.source[0][batch.source[0] != SPECIAL.pad]
    log = model(source[None], batch.target_in[:1, : len(first)])[0].log_softmax(-1)
    assert found[0, 0].item() == pytest.approx(-log[range(len(first)), first].sum().item(), rel=1e-4)
    assert found[0, 1] == len(first)


def test_l42_can_say_all():
    places = ("encoder", "decoder", "cross", "everywhere")
    names = {place: (f"{place}_1", f"{place}_1_right") for place in places}
    good = {
        "all": 0.3,
        **{name: value for both in names.values() for name, value in zip(both, (1.0, 0.8), strict=True)},
    }
    assert verdict("L42", **good) == "holds"
    assert verdict("L42", **{**good, "everywhere_1_right": 0.2}) == "holds only if"
    assert verdict("L42", **{**good, **{right: 0.2 for _, right in names.values()}}) == "does not hold"
    assert verdict("L42", **{**good, **{loss: 0.3 for loss, _ in names.values()}}) == "does not hold"
    first, second = (
        {**small_runs(l42_one_head_left.EXPERIMENT)[0], **good, "everywhere_1_right": r} for r in (0.2, 0.9)
    )
    assert l42_one_head_left.judge([first, second]) == "undecided"


def test_l42_chooses_by_the_others_sentences():
    losses = torch.tensor([[[1.0, 1, 1], [9.0, 1, 0]], [[5.0, 1, 0], [2.0, 1, 1]]])  # [choices, sentences, 3]
    found = l42_one_head_left.numbers_of(losses, own=[0], others=[1], name="x")
    assert found == {"x": 5.0, "x_right": 0.0, "x_worst": 1.0}


def test_l43_counts_by_hand():
    maps = torch.full((1, 1, 4, 4), 0.1)  # tag, two pieces, </s>
    maps[0, 0, 1, 1] = 0.9  # the first piece looks at itself
    maps[0, 0, 2, 0], maps[0, 0, 2, 2] = 0.9, 0.5  # the second at the tag, and among the pieces at itself
    assert l43_own_word.own_is_highest(maps)[:, 0, 0].tolist() == [[True, False], [True, True]]
    assert l43_own_word.shares([maps, maps])[:, 0].tolist() == [0.5, 1.0]


def test_l43_can_say_all():
    assert verdict("L43", own=0.9) == "holds"
    assert verdict("L43", own=0.1, best=0.9) == "holds only if"
    assert verdict("L43", own=0.1, best=0.2) == "does not hold"
    numbers = small_runs(l43_own_word.EXPERIMENT)[0]
    assert l43_own_word.judge([{**numbers, "own": own} for own in (0.1, 0.9)]) == "undecided"


def test_l56_divides_as_it_says(x):
    torch.manual_seed(1)
    attention = l56_divisor.DividedBy(16, 4).double().eval()
    attention.divisor = 7.0
    torch.testing.assert_close(attention(x, x), attention.output(heads_of(attention, x, divide=7.0).flatten(2)))
    model = l56_divisor.build(3.0, seed=1)
    assert {part.divisor for part in model.modules() if isinstance(part, l56_divisor.DividedBy)} == {3.0}
    assert model.config.head_dim**0.5 == l56_divisor.DEFAULT


def test_l56_can_say_all():
    at = {"tried": [1.0, 4.0, 8.0], "toy_8": 0.0, "toy_4": 0.01, "toy_1": 0.02}
    assert verdict("L56", **at) == "holds"
    assert verdict("L56", **{**at, "toy_1": 1.0}) == "holds only if"
    assert verdict("L56", **{**at, "toy_1": 1.0, "toy_4": 1.0}) == "does not hold"
    assert verdict("L56", **{**at, "toy_1": 1.0, "toy_1_half": 2.0}) == "undecided"
    assert verdict("L56", **{**at, "toy_8": 2.4, "toy_4": 2.4, "toy_1": 2.4}) == "undecided"  # nothing learnt at all
    numbers = small_runs(l56_divisor.EXPERIMENT)[0]
    assert l56_divisor.judge([{**numbers, **at, "toy_1": loss} for loss in (0.0, 1.0)]) == "undecided"
