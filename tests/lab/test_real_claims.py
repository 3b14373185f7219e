"""L7, L29 and L31 at the size of a test, the rules with planted numbers, and the training they share."""

import pytest
import torch

from attendo.errors import DataError
from attendo.lab.attention.l7_diagonal import diagonal, on_itself
from attendo.lab.claims import EXPERIMENTS
from attendo.lab.families.l29_features import lstm, smooth
from attendo.lab.families.l31_one_vector import by_length
from attendo.lab.tools.measuring import count_weights
from attendo.lab.tools.real_sides import TrainingJob, train_one, train_sides, translator, tuned_rates
from attendo.lab.tools.real_training import (
    RealBudget,
    bleu,
    data_files,
    machine_for,
    real_data,
    transformer,
    translations,
    validation_loss,
)
from attendo.model.build import build_model
from attendo.model.record import AttentionRecord
from tests.lab.planted import verdict

LONG, SHORT = RealBudget(epochs=60, tokens=300), RealBudget(epochs=1, tokens=300)


def new_model(config, seed):
    torch.manual_seed(seed)
    return build_model(config)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ATTENDO_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield real_data("small")


def test_it_learns_and_the_same_seed_gives_the_same(data):
    side = translator(transformer(data, "small", dropout=0.0))
    one = train_one(data, LONG, TrainingJob(side, 1e-2, seed=1))
    assert one.losses[-1] < 0.5 * one.losses[0]
    assert validation_loss(one.model, data) < 0.7 * validation_loss(new_model(one.model.config, 1), data)
    first, again, other = (train_one(data, SHORT, TrainingJob(side, 1e-2, seed)).losses for seed in (1, 1, 2))
    assert first == again != other
    assert not one.model.training


def test_both_families_translate(data):
    for config in (transformer(data, "small"), lstm(data, "small", "fixed"), lstm(data, "small", "attention")):
        outputs = translations(new_model(config, 1), data, data.test)
        assert len(outputs) == len(data.test)
    perfect = [pair.target for pair in data.test]
    assert bleu(["a b c d e"], [data.test[0]]) == 0
    assert bleu(perfect, data.test) >= bleu(outputs, data.test)


def test_a_rate_that_cannot_learn_is_not_chosen(data):
    sides = {"it": translator(transformer(data, "small", dropout=0.0))}
    assert tuned_rates(sides, data, RealBudget(epochs=20, tokens=300), [1e-9, 5e-3], seed=1) == {"it": 5e-3}


def test_every_side_is_trained_with_every_seed(data):
    sides = {"narrow": translator(transformer(data, "small")), "wide": translator(transformer(data, "small", d_ff=64))}
    found = train_sides(sides, data, SHORT, [1e-3], [3, 4])
    assert [list(models) for models in found] == [["narrow", "wide"]] * 2
    for seed, models in zip((3, 4), found, strict=True):
        for name, trained in models.items():
            assert trained.losses == train_one(data, SHORT, TrainingJob(sides[name], 1e-3, seed)).losses
            assert trained.rate == 1e-3


def test_in_processes_of_their_own_models_come_out_the_same(data, monkeypatch):
    """As they are on a GPU; here without one."""
    sides = {"it": translator(transformer(data, "small"))}
    here = train_sides(sides, data, SHORT, [1e-3], [3, 4])
    monkeypatch.setattr("attendo.lab.tools.real_sides.on_a_gpu", lambda: True)
    apart = train_sides(sides, data, SHORT, [1e-3], [3, 4])
    for one, other in zip(here, apart, strict=True):
        assert one["it"].losses == other["it"].losses
        weights, others = one["it"].model.state_dict(), other["it"].model.state_dict()
        assert all(torch.equal(weight, others[name]) for name, weight in weights.items())


def test_recurrent_models_get_one_pair_a_row_and_others_where_it_is_asked_for(data, monkeypatch):
    monkeypatch.setattr("torch.cuda.is_available", lambda: True)
    monkeypatch.setattr("torch.cuda.is_bf16_supported", lambda: True)
    attention = new_model(transformer(data, "small"), 1)
    assert machine_for(attention).packed
    assert not machine_for(attention, packed=False).packed
    assert not machine_for(new_model(lstm(data, "small", "fixed"), 1)).packed
    assert not machine_for(attention).compiled


def test_without_the_corpus_there_is_one_clear_line(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTENDO_DATA", str(tmp_path))
    with pytest.raises(DataError, match=r"there is no en-de/multi30k.train.tsv.xz in .*: set ATTENDO_DATA"):
        data_files()


def test_sides_have_equally_many_weights():
    class Cut:
        vocab_size = 8_000

    sides = (transformer(Cut, "full"), lstm(Cut, "full", "attention"), lstm(Cut, "full", "fixed"))
    with torch.device("meta"):
        counts = [count_weights(build_model(config)) for config in sides]
    assert max(counts) < 1.05 * min(counts)


def test_l29_says_what_the_difference_says():
    assert verdict("L29", bleu_transformer=36.0, bleu_lstm=33.0) == "holds"
    assert verdict("L29", bleu_transformer=36.0, bleu_lstm=35.9) == "does not hold"
    assert verdict("L29", bleu_transformer=33.0, bleu_lstm=36.0) == "does not hold"
    judge = EXPERIMENTS["L29"].judge
    runs = [{"bleu_transformer": ours, "bleu_lstm": 33.0} for ours in (33.2, 35.0, 34.0)]
    assert judge(runs) == "undecided"
    assert smooth([1.0, 3.0]) == [1.0, 3.0]
    assert len(smooth([float(step) for step in range(700)])) == 30


def test_l31_tells_the_vector_from_the_recurrence():
    worse = {"behind_short": 5.0, "behind_long": 15.0}
    assert verdict("L31", **worse, left_short=1.0, left_long=1.0) == "holds only if"
    assert verdict("L31", **worse, left_short=1.0, left_long=4.0) == "holds"
    assert verdict("L31", behind_short=0.0, behind_long=0.2) == "does not hold"
    assert verdict("L31", behind_short=5.0, behind_long=5.0) == "undecided"


def test_l31_groups_are_quarters_by_words(data):
    groups = by_length(data.test)
    assert [len(group) for group in groups] == [len(data.test) // 4] * 4
    assert sorted(pair.line for group in groups for pair in group) == [pair.line for pair in data.test]


def test_l7_judges_each_half_of_the_model():
    drawn = {"encoder_uniform": 0.1, "encoder_1": 0.5, "encoder_8": 0.2}
    not_drawn = {"decoder_uniform": 0.2, "decoder_1": 0.3, "decoder_8": 0.2}
    both = {"decoder_uniform": 0.2, "decoder_1": 0.6, "decoder_8": 0.3}
    assert verdict("L7", **drawn, **both) == "holds"
    assert verdict("L7", **drawn, **not_drawn) == "holds only if"
    assert verdict("L7", **{**drawn, "encoder_8": 0.6}, **not_drawn) == "does not hold"
    assert verdict("L7", **drawn, **{**both, "decoder_8": 0.6}) == "undecided"  # exactly as much


def test_l7_counts_real_positions_alone(data):
    weights = torch.eye(3).expand(2, 4, 3, 3)
    real = torch.tensor([[True, True, False], [True, True, True]])
    assert diagonal(weights, real).tolist() == [5.0] * 4


def test_l7_uniform_attention_is_measured_as_uniform(data):
    """With W_Q = 0 all scores are 0, and every head gives what the comparison says."""
    model = new_model(transformer(data, "small", num_heads=2), 1).eval()
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "self_attention.query" in name:
                weight.zero_()
    for of_each_head, uniform in on_itself(model, data).values():
        assert of_each_head == pytest.approx([uniform] * 2, rel=1e-5)
    record = AttentionRecord()
    model(torch.tensor([[5, 6, 2]]), torch.tensor([[1, 7]]), record)
    assert record.encoder_self[0].shape == (1, 2, 3, 3)


def test_they_are_stored():
    assert {name for name, one in EXPERIMENTS.items() if one.evidence == "real"} >= {"L7", "L29", "L31"}
