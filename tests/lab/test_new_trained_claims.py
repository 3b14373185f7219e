"""L60, L61, L62, L64 and L70: their tasks, and rules that can say each verdict."""

import torch

from attendo.lab.layers.l62_degradation import DeepReader, pointers
from attendo.lab.layers.l64_dead_units import NormedReader, units
from attendo.lab.positions.l60_recurrent_positions import LSTMByStep, sequences
from attendo.lab.positions.l61_positions_by_data import asked, from_pool, random_sequences
from attendo.lab.positions.l70_content_and_place import FACT, KEYS, QUESTION, VALUES, by_content, by_place
from attendo.lab.tools.toy_tasks import FIRST_SYMBOL
from attendo.model.positions import NoPositions
from tests.lab.planted import verdict


def fill(**losses):
    """Numbers of L60 by task and model, with and without."""
    numbers = {f"{task}_{model}_with": 0.0 for task in ("order", "place") for model in ("lstm", "transformer")}
    numbers |= {"order_lstm_without": 0.0, "place_lstm_without": 0.0}
    return numbers | {"order_transformer_without": 1.7, "place_transformer_without": 2.0} | losses


def test_l60_can_say_each_verdict():
    assert verdict("L60", **fill()) == "holds"
    assert verdict("L60", **fill(place_lstm_without=1.0)) == "holds only if"
    assert verdict("L60", **fill(place_lstm_without=1.0, order_lstm_without=1.0)) == "does not hold"
    assert verdict("L60", **fill(order_transformer_without=0.0)) == "undecided"
    still_improving = {"place_lstm_without": 1.0, "place_lstm_without_half": 1.5}
    assert verdict("L60", **fill(**still_improving)) == "undecided"


def test_l60_the_lstm_is_torchs():
    torch.manual_seed(0)
    model = LSTMByStep(NoPositions())
    tokens = torch.randint(4, 12, (3, 8))
    expected = model.output(model.layer.run(model.embedding(tokens)))
    torch.testing.assert_close(model(tokens, tokens), expected)


def test_l60_tasks():
    generator = torch.Generator().manual_seed(1)
    batch = sequences("order", 8, 2, generator)
    assert (batch.target_out[:, 3:] == batch.source[:, :-3]).all()
    assert (batch.target_out[:, :3] == 0).all()
    batch = sequences("place", 8, 2, generator)
    assert ((batch.target_out - FIRST_SYMBOL) == (batch.source - FIRST_SYMBOL + torch.arange(8)) % 8).all()


def test_l61_can_say_each_verdict():
    assert verdict("L61", learned_many=0.99, sinusoidal_many=1.0) == "holds"
    assert verdict("L61", learned_many=0.5, sinusoidal_many=1.0) == "does not hold"
    assert verdict("L61", learned_many=0.0, sinusoidal_many=0.05) == "undecided"


def test_l61_nothing_but_the_pool_is_shown():
    pool = random_sequences(3, torch.Generator().manual_seed(5))
    batch = from_pool(pool, 40, torch.Generator().manual_seed(6))
    assert {tuple(one) for one in batch.source.tolist()} == {tuple(one) for one in pool.tolist()}
    assert (asked(pool).target_out[:, 3:] == pool[:, :-3]).all()


def test_l62_can_say_each_verdict():
    def losses(*each):
        return dict(zip(("plain_1", "plain_2", "plain_3"), each, strict=True))

    assert verdict("L62", **losses(1.9, 1.0, 2.1)) == "holds"
    assert verdict("L62", **losses(1.0, 1.5, 2.1)) == "holds only if"
    assert verdict("L62", **losses(1.9, 1.0, 0.5)) == "does not hold"
    assert verdict("L62", **losses(1.9, 1.0, 2.0), plain_3_half=2.5) == "undecided"


def test_l62_without_residual_connections_nothing_is_carried_past_a_layer():
    torch.manual_seed(0)
    model = DeepReader(2, "plain", 0)
    source = torch.randint(4, 12, (1, 8))
    for weight in model.encoder.layers[1].parameters():
        torch.nn.init.zeros_(weight)
    out = model(source, source)
    assert out.std(dim=1).max() < 1e-6  # what the first layer said is lost
    model.residual = True
    assert model(source, source).std(dim=1).max() > 1e-3


def test_l62_pointers_are_followed():
    batch = pointers(3, 4, torch.Generator().manual_seed(1))
    for points, ends in zip(
        (batch.source - FIRST_SYMBOL).tolist(), (batch.target_out - FIRST_SYMBOL).tolist(), strict=True
    ):
        assert ends == [points[points[points[start]]] for start in range(8)]


def test_l64_can_say_each_verdict():
    shares = {"post_working": 0.9, "pre_working": 0.9, "none_working": 0.5}
    assert verdict("L64", **shares) == "holds"
    assert verdict("L64", **shares | {"pre_working": 0.5}) == "holds only if"
    assert verdict("L64", **shares | {"none_working": 0.9}) == "does not hold"
    assert verdict("L64", **shares, none=1.0, none_half=2.0) == "undecided"


def test_l64_a_unit_with_a_bias_far_below_zero_is_dead():
    torch.manual_seed(0)
    model = NormedReader(1, "pre", 0)
    inner = model.encoder.layers[0].feed_forward.inner
    torch.nn.init.constant_(inner.bias[:32], -100.0)
    torch.nn.init.constant_(inner.bias[32:48], 100.0)
    found = units(model, 1)
    assert found["dead"] >= 0.5
    assert found["always"] >= 0.25


def test_l70_can_say_each_verdict():
    right = {f"{kind}_with_{where}": 1.0 for kind in ("content", "place") for where in ("near", "far")}

    def without(content, place):
        names = ("near", "far")
        numbers = {f"content_without_{name}": value for name, value in zip(names, content, strict=True)}
        return right | numbers | {f"place_without_{name}": value for name, value in zip(names, place, strict=True)}

    assert verdict("L70", **without((1.0, 1.0), (0.1, 0.1))) == "holds only if"
    assert verdict("L70", **without((0.1, 1.0), (0.1, 1.0))) == "holds"
    assert verdict("L70", **without((0.1, 0.1), (0.1, 0.1))) == "does not hold"
    improving = {"place_without_4": 1.0, "place_without_4_half": 2.0}
    assert verdict("L70", **without((1.0, 1.0), (0.1, 0.1)), **improving) == "undecided"


def test_l70_tasks():
    batch = by_content(3, torch.Generator().manual_seed(1))
    for things, answers in zip((batch.source - FIRST_SYMBOL).tolist(), batch.target_out.tolist(), strict=True):
        facts = {(one - FACT) // VALUES: (one - FACT) % VALUES for one in things if one >= FACT}
        assert sorted(facts) == list(range(KEYS))
        for thing, answer in zip(things, answers, strict=True):
            assert answer == (FIRST_SYMBOL + facts[thing - QUESTION] if thing < FACT else 0)
    batch = by_place(4, 3, torch.Generator().manual_seed(1))
    assert (batch.target_out[:, 4:] == batch.source[:, :-4]).all()
