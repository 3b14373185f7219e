"""The training that the claims about real models share: sides, seeds, rates, the cache, distillation, few shapes."""

from dataclasses import replace
from functools import partial

import pytest
import torch

from attendo.data.batch import Batch
from attendo.data.batches import Batches, Position
from attendo.data.few_shapes import WIDTHS, FewShapes, widened
from attendo.errors import DataError
from attendo.lab.tools import real_sides
from attendo.lab.tools.data_files import data_file
from attendo.lab.tools.distillation import distilled
from attendo.lab.tools.kept_models import kept_or_measured, kept_or_trained, kept_path
from attendo.lab.tools.larger_corpus import Joined, Lines, Swapped, larger_data
from attendo.lab.tools.measuring import count_weights
from attendo.lab.tools.real_sides import TrainingJob, measure_sides, trained, tuned_rates
from attendo.lab.tools.real_training import (
    MADE_UP,
    RealBudget,
    bleu,
    machine_for,
    real_data,
    train_real,
    translations,
    validation_loss,
)
from attendo.lab.tools.real_translators import lstm, lstm_side, measure_translator, transformer, transformer_side
from attendo.model.build import build_model
from attendo.special_tokens import SPECIAL
from attendo.training.objective import TeacherForcing

LONG, SHORT = RealBudget(epochs=60, tokens=300), RealBudget(epochs=1, tokens=300)


def new_model(config, seed):
    torch.manual_seed(seed)
    return build_model(config)


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ATTENDO_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield real_data("small")


def losses_of(data, budget, side, seed, rate=1e-2):
    model = new_model(side.config, seed)
    return train_real(model, side.objective, data, budget, rate, seed)


# --- training


def test_it_learns_and_the_same_seed_gives_the_same(data):
    side = transformer_side(data, "small", dropout=0.0)
    one = trained(data, LONG, TrainingJob(side, 1e-2, seed=1))
    assert one.losses[-1] < 0.5 * one.losses[0]
    assert validation_loss(one.model, data) < 0.7 * validation_loss(new_model(one.model.config, 1), data)
    first, again, other = (losses_of(data, SHORT, side, seed) for seed in (1, 1, 2))
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
    side = replace(transformer_side(data, "small", dropout=0.0), rates=(1e-9, 5e-3))
    other = replace(side, rates=(1e-4,))
    found = tuned_rates({"it": side, "other": other}, data, RealBudget(epochs=40, tokens=300), seed=1)
    assert found == {"it": 5e-3, "other": 1e-4}


def test_every_side_is_trained_with_every_seed(data):
    sides = {"narrow": transformer_side(data, "small"), "wide": transformer_side(data, "small", d_ff=64)}
    found = measure_sides(sides, data, SHORT, [3, 4], measure_translator)
    assert [list(models) for models in found] == [["narrow", "wide"]] * 2
    for seed, measured in zip((3, 4), found, strict=True):
        for name, numbers in measured.items():
            assert numbers["losses"] == pytest.approx(losses_of(data, SHORT, sides[name], seed, rate=2e-3))
            assert numbers["rate"] == 2e-3


@pytest.mark.slow
def test_in_processes_of_their_own_models_come_out_the_same(data, monkeypatch, tmp_path):
    """As they are on a GPU; here without one."""
    sides = {"it": transformer_side(data, "small")}
    here = measure_sides(sides, data, SHORT, [3, 4], measure_translator)
    monkeypatch.setenv("ATTENDO_CACHE", str(tmp_path))
    monkeypatch.setattr("attendo.lab.tools.real_sides.on_a_gpu", lambda: True)
    apart = measure_sides(sides, data, SHORT, [3, 4], measure_translator)
    for one, other in zip(here, apart, strict=True):
        assert {**one["it"], "seconds": 0} == {**other["it"], "seconds": 0}


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
        data_file("en-de/multi30k.train.tsv.xz")


def test_sides_have_equally_many_weights():
    class Cut:
        vocab_size = 8_000

    sides = (transformer(Cut, "full"), lstm(Cut, "full", "attention"), lstm(Cut, "full", "fixed"))
    with torch.device("meta"):
        counts = [count_weights(build_model(config)) for config in sides]
    assert max(counts) < 1.05 * min(counts)


# --- what is kept


def test_a_model_is_trained_once(data, monkeypatch):
    runs = []
    monkeypatch.setattr(real_sides, "train_real", lambda *given: runs.append(given[-1]) or train_real(*given))
    side = lstm_side(data, "small", "fixed", dropout=0.11)
    jobs = [TrainingJob(side, 1e-3, seed) for seed in (1, 1, 2)]
    first, again, other = (trained(data, SHORT, job) for job in jobs)
    assert runs == [1, 2]
    assert first.losses == again.losses != other.losses
    for one, same in zip(first.model.parameters(), again.model.parameters(), strict=True):
        assert one.equal(same)
    assert not again.model.training
    trained(replace(data, identity="another corpus"), SHORT, jobs[0])
    assert runs == [1, 2, 1]


def test_a_training_that_fails_leaves_nothing_behind(tmp_path):
    path, model = tmp_path / "model.pt", torch.nn.Linear(2, 2)

    def fail():
        raise RuntimeError("no memory")

    with pytest.raises(RuntimeError):
        kept_or_trained(path, model, fail)
    assert kept_or_trained(path, model, lambda: [1.0, 0.5]) == [1.0, 0.5]
    assert kept_or_trained(path, model, fail) == [1.0, 0.5]
    assert kept_or_measured(tmp_path / "it.json", lambda: {"bleu": 1.0}) == {"bleu": 1.0}
    assert kept_or_measured(tmp_path / "it.json", fail) == {"bleu": 1.0}


def test_what_decides_a_model_decides_its_name():
    assert kept_path("safetensors", "a", 1) == kept_path("safetensors", "a", 1) != kept_path("safetensors", "a", 2)


# --- distillation


def test_a_student_learns_from_what_its_teacher_made_of_the_sources(data):
    torch.manual_seed(1)
    teacher = build_model(transformer(data, "small")).eval()
    corpus, retold = data.training[0], distilled(data, teacher).training[0]
    assert len(retold) == len(corpus) == len(retold.target)
    assert retold.source is corpus.source
    assert distilled(data, teacher).validation is data.validation
    for index in (0, 7):
        text = data.tokenizer.decode(corpus.source[index])
        pair = next(pair for pair in MADE_UP[0].pairs(lambda problem: None) if pair.source == text)
        (said,) = translations(teacher, data, [pair])
        mine = data.tokenizer.decode(retold.target[index])
        assert said.startswith(mine)  # validation lets an answer be longer
        assert SPECIAL.eos not in retold.target[index]


# --- few shapes


def test_a_batch_is_padded_to_the_next_width_and_to_as_many_rows_as_fit():
    batch = Batch.from_pairs([([5] * 8, [6] * 10)] * 20)  # 9 and 11 wide
    wide = widened(batch, tokens_per_batch=240)
    assert wide.source.shape == wide.target_in.shape == wide.target_out.shape == (21, 12)  # 240 // 11 rows
    assert wide.source[:20, :9].equal(batch.source)
    assert wide.num_target_tokens == batch.num_target_tokens == wide.count_target_tokens()
    too_wide = Batch.from_pairs([([5] * WIDTHS[-1], [6])])
    assert widened(too_wide, 300) is too_wide


@pytest.mark.parametrize("context", ["transformer", "fixed", "attention"])
def test_padding_changes_no_loss(data, context):
    config = transformer(data, "small") if context == "transformer" else lstm(data, "small", context)
    model = new_model(config, 1).eval()
    batches = Batches(data.training, 300, 1, packed=False)
    for number, (one, other) in enumerate(
        zip(*(partial(source.stream, Position())() for source in (batches, FewShapes(batches))), strict=False)
    ):
        loss, padded_loss = (TeacherForcing(0.1)(model, batch) for batch in (one[0], other[0]))
        torch.testing.assert_close(padded_loss, loss, rtol=1e-5, atol=1e-4)
        assert one[1] == other[1]
        if number == 5:
            break


def test_shapes_are_few(data):
    stream = FewShapes(Batches(data.training, 120, 1, packed=False)).stream(Position())
    shapes = {next(stream)[0].source.shape for _ in range(60)}
    assert {width for _, width in shapes} <= set(WIDTHS)
    assert len(shapes) == len({width for _, width in shapes})  # one for each width


# --- the larger corpus


def test_corpora_are_joined_swapped_and_cut():
    train, valid, _ = MADE_UP
    pairs = list(valid.pairs(lambda problem: None))
    ignore = {"report": lambda problem: None}
    assert [pair.source for pair in Swapped(valid).pairs(**ignore)] == [pair.target for pair in pairs]
    assert list(Lines(valid, 3, 6).pairs(**ignore)) == pairs[3:6]
    assert len(list(Joined([train, valid]).pairs(**ignore))) == 140
    corpora = (valid, Swapped(valid), Lines(valid, 0, 6), Joined([valid]), Joined([valid, valid]))
    assert len({repr(corpus.identity()) for corpus in corpora}) == 5


def test_the_larger_corpus_is_larger(data):
    assert len(larger_data("small").training[0]) > len(data.training[0])
