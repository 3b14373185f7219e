"""L7, L29 and L31: what they measure at the size of a test, and their rules with planted numbers."""

import pytest
import torch

from attendo.lab.attention.l7_diagonal import diagonal, on_itself
from attendo.lab.claims import EXPERIMENTS
from attendo.lab.families.l29_features import LARGER_RATES
from attendo.lab.families.l31_one_vector import cells_of
from attendo.lab.knobs import settings_of
from attendo.lab.tools.real_training import real_data
from attendo.lab.tools.real_translators import by_length, transformer
from attendo.lab.tools.vector_capacity import SYMBOLS, Cell, recall_now, reversed_rows
from attendo.model.build import build_model
from attendo.model.record import AttentionRecord
from tests.lab.planted import small_runs, verdict


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ATTENDO_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield real_data("small")


def test_they_are_about_real_models():
    assert all(EXPERIMENTS[name].evidence == "real" for name in ("L7", "L29", "L31", "L33"))


# --- L7

DRAWN = {"encoder_uniform_1": 0.1, "encoder_1": 0.5, "encoder_8": 0.2}
NOT_DRAWN = {"decoder_uniform_1": 0.2, "decoder_1": 0.3, "decoder_8": 0.2}
BOTH = {"decoder_uniform_1": 0.2, "decoder_1": 0.6, "decoder_8": 0.3}
UNKNOWN = {"decoder_uniform_1": 0.2, "decoder_1": 0.6, "decoder_8": 0.6}  # exactly as much


def test_l7_judges_each_half_of_the_model():
    assert verdict("L7", **DRAWN, **BOTH) == "holds"
    assert verdict("L7", **DRAWN, **NOT_DRAWN) == "holds only if"
    assert verdict("L7", **{**DRAWN, "encoder_8": 0.6}, **NOT_DRAWN) == "does not hold"
    assert verdict("L7", **DRAWN, **UNKNOWN) == "undecided"


def test_l7_what_is_false_in_one_half_is_never_undecided():
    assert verdict("L7", **{**DRAWN, "encoder_8": 0.6}, **UNKNOWN) == "does not hold"
    assert verdict("L7", **{**DRAWN, "encoder_8": 0.6}, **BOTH) == "holds only if"


def test_l7_compares_the_ends_of_the_row_of_heads():
    (first, *_) = small_runs(EXPERIMENTS["L7"])
    planted = {
        "heads": [16, 2],
        **{f"{stack}_{h}": w for stack in ("encoder", "decoder") for h, w in ((2, 0.5), (16, 0.1))},
    }
    runs = [{**first, **planted, "encoder_uniform_2": 0.1, "decoder_uniform_2": 0.1}] * 2
    assert EXPERIMENTS["L7"].judge(runs) == "holds"


def test_l7_counts_real_positions_alone():
    weights = torch.eye(3).expand(2, 4, 3, 3)
    real = torch.tensor([[True, True, False], [True, True, True]])
    assert diagonal(weights, real).tolist() == [5.0] * 4


def test_l7_uniform_attention_is_measured_as_uniform_and_the_decoders_first_position_does_not_count(data):
    """With W_Q = 0 all scores are 0, and every head gives what the comparison says."""
    torch.manual_seed(1)
    model = build_model(transformer(data, "small", num_heads=2)).eval()
    with torch.no_grad():
        for name, weight in model.named_parameters():
            if "self_attention.query" in name:
                weight.zero_()
    found = on_itself(model, data)
    for of_each_head, uniform in found.values():
        assert of_each_head == pytest.approx([uniform] * 2, rel=1e-5)
    lengths = [len(data.tokenizer.encode(pair.target)) + 1 for pair in data.valid]
    seen = [position for length in lengths for position in range(2, length + 1)]
    assert found["decoder"][1] == pytest.approx(sum(1 / position for position in seen) / len(seen), rel=1e-5)
    record = AttentionRecord()
    model(torch.tensor([[5, 6, 2]]), torch.tensor([[1, 7]]), record)
    assert record.encoder_self[0].shape == (1, 2, 3, 3)


# --- L29


def test_l29_far_is_two_points_on_both_corpora():
    def said(multi30k, larger):
        scores = {"bleu_transformer": 33.0 + multi30k, "bleu_lstm": 33.0}
        rows = {"larger_bleus_transformer": [20.0 + larger] * 3, "larger_bleus_lstm": [20.0] * 3}
        return verdict("L29", **scores, **rows)

    assert said(3.0, 3.0) == "holds"
    assert said(1.0, 3.0) == said(3.0, 1.0) == "holds only if"
    assert said(1.0, 1.0) == said(-3.0, -3.0) == "does not hold"
    assert said(2.0, 1.0) == "undecided"


def test_l29_without_the_larger_corpus_multi30k_decides():
    for ahead, expected in ((3.0, "holds"), (1.0, "does not hold"), (2.0, "undecided")):
        assert verdict("L29", bleu_transformer=33.0 + ahead, bleu_lstm=33.0, larger_seeds=0) == expected


def test_l29_seeds_that_do_not_agree_decide_nothing():
    runs = small_runs(EXPERIMENTS["L29"])
    apart = {"larger_bleus_transformer": [21.0, 24.0, 22.0], "larger_bleus_lstm": [20.0] * 3}
    planted = [{**run, **apart, "bleu_transformer": 33.0, "bleu_lstm": 33.0} for run in runs]
    assert EXPERIMENTS["L29"].judge(planted) == "undecided"


def test_l29_numbers():
    (first, second) = small_runs(EXPERIMENTS["L29"])
    assert first["larger_bleus_lstm"] == second["larger_bleus_lstm"]
    assert first["steps_transformer"] == first["steps_lstm"] == first["steps"]
    assert first["losses_lstm"] != second["losses_lstm"]


def test_l29_learns_from_the_larger_corpus_at_a_rate_that_was_tried_there():
    (first, *_) = small_runs(EXPERIMENTS["L29"])
    assert all(first[f"larger_rate_{side}"] in rates for side, rates in LARGER_RATES.items())
    assert len(first["larger_bleus_lstm"]) == first["larger_seeds"] == 2


# --- L31

TOO_SMALL = {
    "right_long_attention": 1.0, "right_long_narrow": 0.2, "right_short_narrow": 0.9, "right_long_wide": 0.6,
    "loss_long_narrow": 2.0, "loss_long_narrow_half": 2.1, "kept_short": 0.6, "kept_long": 0.5,
}  # fmt: skip


def test_l31_asks_whether_it_is_the_vector():
    assert verdict("L31", **TOO_SMALL) == "holds"
    assert verdict("L31", **{**TOO_SMALL, "right_long_narrow": 0.95}) == "does not hold"
    assert verdict("L31", **{**TOO_SMALL, "kept_long": 0.7}) == "holds only if"  # not worse with length
    assert verdict("L31", **{**TOO_SMALL, "kept_long": 1.2}) == "holds only if"  # not behind


@pytest.mark.parametrize(
    ("name", "value"),
    [("right_long_wide", 0.2), ("right_short_narrow", 0.2), ("loss_long_narrow_half", 2.6), ("kept_long", 0.6)],
)
def test_l31_where_a_part_is_missing_it_is_undecided(name, value):
    """No wider vector does better; no shorter source does; it still learns; translations are no worse with length."""
    assert verdict("L31", **{**TOO_SMALL, name: value}) == "undecided"


def test_l31_half_the_steps_are_for_the_ends_of_the_widths_at_the_longest():
    at = settings_of(EXPERIMENTS["L31"].knobs, "small", {"widths": "16,4,8", "lengths": "3,5,2", "steps": "10"})
    halves = {key: cell.steps for key, cell in cells_of(1, at) if key[0].endswith("_half")}
    assert halves == {("fixed_4_half", 5): 5, ("fixed_16_half", 5): 5}
    all_cells = dict(cells_of(1, at))
    assert len(all_cells) == 3 * (3 + 2) + 2
    assert next(iter(all_cells)) == ("fixed_16", 5)  # the longest first


def test_l31_groups_are_quarters_by_words(data):
    groups = by_length(data.test)
    assert [len(group) for group in groups] == [len(data.test) // 4] * 4
    assert sorted(index for group in groups for index in group) == list(range(len(data.test)))


def test_l31_a_source_of_one_length_is_said_backwards():
    batch = reversed_rows(5, 3, torch.Generator().manual_seed(1))
    assert batch.source.shape == batch.target_out.shape == (3, 6)
    assert batch.source[:, :5].flip(1).equal(batch.target_out[:, :5])
    assert batch.source.max() < 4 + SYMBOLS


def test_l31_models_learn_to_recall():
    """Two symbols through a vector of 32, in a few steps; with none nothing but chance."""
    learnt, not_yet = (recall_now(Cell("fixed", 32, 2, steps, seed=1))["right"] for steps in (150, 2))
    assert learnt > 0.8 > 0.4 > not_yet
