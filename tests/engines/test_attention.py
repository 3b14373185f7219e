"""What a model looked at: the fast engine and torch say the same of the heads that were chosen, and the text stays."""

from dataclasses import replace

import pytest
import torch

import attendo
from attendo.decoding.options import SamplingOptions, SearchOptions
from attendo.engines.ct2.engine import load_ct2_engine
from attendo.engines.engine import Request
from attendo.engines.torch_engine import load_torch_engine
from attendo.model.config import DecoderOnlyConfig, NonAutoregressiveConfig, RecurrentConfig
from attendo.model.record import AttentionRecord
from attendo.model_folder.bundle import model_folder, read_bundle
from attendo.model_folder.optional_keys import AlignmentHeads
from attendo.model_folder.weights import load_model
from attendo.special_tokens import SPECIAL
from attendo.translation.options import Draws
from attendo.translation.retries import Searcher
from tests.engines.test_ct2 import DEEPER, requests
from tests.translation.small_translator import save_random

FOUR_HEADS = replace(DEEPER, num_heads=4)
CHOICES = [(0, (0,)), (0, (3,)), (1, (2,)), (1, (0,)), (0, (2, 1)), (1, (3, 0, 1)), (0, (3, 2, 1, 0))]
BEAM = SearchOptions(beam_size=4, stop="early")
SENTENCES = ["我爱机器学习。", "请把窗户关上，外面很冷。", "他昨天买了三本书。"]


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTENDO_CACHE", str(tmp_path / "cache"))


def choosing(bundle, layer, heads, shift=0):
    """The same model with another choice, which is another model to the cache of converted ones."""
    alignment = AlignmentHeads(layer=layer, heads=heads, shift=shift)
    return replace(bundle, alignment=alignment, key=f"{layer}{heads}".ljust(64, "0"))


def recorded(model, request, ids, layer, heads, shift=0):
    """The witness: one plain pass of the model with a record."""
    record = AttentionRecord()
    model(torch.tensor([request.ids]), torch.tensor([(SPECIAL.bos, *ids[:-1])]), record=record)
    steps = record.cross[layer][0, list(heads)].mean(0)
    return torch.cat((steps[1:], steps[-1:])) if shift else steps


@pytest.mark.parametrize("config", [FOUR_HEADS, replace(FOUR_HEADS, activation="swiglu", bias=False, norm_order="pre")])
def test_the_fast_engine_tells_of_the_heads_that_were_chosen(tmp_path, config):
    bundle = read_bundle(save_random(tmp_path / "model", config=config))
    model, asked = load_model(bundle), requests(6, bundle.model["vocab_size"])
    plain = [[one.ids for one in found] for found in load_ct2_engine(bundle, 1, "float32").search(asked, BEAM)]
    for turn, (layer, heads) in enumerate(CHOICES):
        shift = turn % 2
        engine = load_ct2_engine(choosing(bundle, layer, heads, shift), 1, "float32")
        found = list(engine.search(asked, replace(BEAM, n_best=2), attention=True))
        assert [each[0].ids for each in found] == [each[0] for each in plain]
        for request, hypotheses in zip(asked, found, strict=True):
            for one in hypotheses:
                ours = recorded(model, request, one.ids, layer, heads, shift)
                assert torch.allclose(torch.tensor(one.attention), ours, atol=1e-4)


def test_without_a_choice_it_is_the_first_head_of_the_last_layer(tmp_path):
    bundle = read_bundle(save_random(tmp_path / "model", config=FOUR_HEADS))
    model, asked = load_model(bundle), requests(4, bundle.model["vocab_size"])
    for engine in (load_ct2_engine(bundle, 1, "float32"), load_torch_engine(bundle, "cpu", 1)):
        for request, (best, *_) in zip(asked, engine.search(asked, BEAM, attention=True), strict=True):
            ours = recorded(model, request, best.ids, -1, (0,))
            assert torch.allclose(torch.tensor(best.attention), ours, atol=1e-4)


@pytest.mark.parametrize("alignment", [AlignmentHeads(layer=1, heads=(2,)), AlignmentHeads(layer=0, heads=(1, 3))])
def test_the_default_model_by_either_engine(alignment):
    bundle = read_bundle(model_folder(None))
    bundle = choosing(bundle, alignment.layer, alignment.heads)
    tokenizer = bundle.tokenizer()
    asked = [Request(tokenizer.source_ids(text, "en"), 40, text=text) for text in SENTENCES]
    fast, ours = load_ct2_engine(bundle, 1, "float32"), load_torch_engine(bundle, "cpu", 1)
    plain = [found[0].ids for found in ours.search(asked, BEAM)]
    for one, other, ids in zip(
        fast.search(asked, BEAM, attention=True), ours.search(asked, BEAM, attention=True), plain, strict=True
    ):
        assert one[0].ids == other[0].ids == ids
        assert torch.allclose(torch.tensor(one[0].attention), torch.tensor(other[0].attention), atol=1e-4)


def shape(hypothesis):
    return [len(row) for row in hypothesis.attention]


@pytest.mark.parametrize(
    ("config", "has_it"),
    [
        (FOUR_HEADS, True),
        (RecurrentConfig(vocab_size=8, d_model=16), True),
        (RecurrentConfig(vocab_size=8, d_model=16, attention="dot", input_feeding=True), True),
        (RecurrentConfig(vocab_size=8, d_model=16, attention="none"), False),
        (DecoderOnlyConfig(vocab_size=8, d_model=16, d_ff=32, num_heads=2, num_layers=1), False),
        (
            NonAutoregressiveConfig(
                vocab_size=8, d_model=16, d_ff=32, num_heads=2, encoder_layers=1, decoder_layers=2
            ),
            True,
        ),
    ],
)  # fmt: skip
def test_every_family_by_torch(tmp_path, config, has_it):
    bundle = read_bundle(save_random(tmp_path / "model", config=config))
    engine, asked = load_torch_engine(bundle, "cpu", 1), requests(5, bundle.model["vocab_size"])
    options = replace(BEAM, n_best=3, passes=2 if isinstance(config, NonAutoregressiveConfig) else None)
    plain, looked = (list(engine.search(asked, options, attention=each)) for each in (False, True))
    assert plain == looked  # attention is no part of what is compared
    for request, hypotheses in zip(asked, looked, strict=True):
        for one in hypotheses:
            if not has_it:
                assert one.attention is None
                continue
            assert shape(one) == [len(request.ids)] * len(one.ids)
            assert all(sum(row) == pytest.approx(1, abs=1e-3) for row in one.attention)
    assert all(one.attention is None for hypotheses in plain for one in hypotheses)


@pytest.mark.parametrize("load", [load_ct2_engine, load_torch_engine])
def test_who_is_in_the_batch_does_not_matter(load):
    bundle = read_bundle(model_folder(None))
    engine, tokenizer = load(bundle), bundle.tokenizer()
    asked = [Request(tokenizer.source_ids(text, "en"), 40, text=text) for text in SENTENCES]
    together = [found[0] for found in engine.search(asked, BEAM, attention=True)]
    for request, one in zip(asked, together, strict=True):
        (alone,) = engine.search([request], BEAM, attention=True)
        assert alone[0].ids == one.ids
        assert torch.allclose(torch.tensor(alone[0].attention), torch.tensor(one.attention), atol=1e-3)


@pytest.mark.parametrize("engine", ["ct2", "torch"])
def test_what_is_drawn_is_looked_at_too(engine):
    translator = attendo.load(engine=engine, device="cpu", threads=1)
    searcher = Searcher(translator.engine, translator.tokenizer)
    asked = [Request(translator.tokenizer.source_ids(text, "en"), 40, text=text) for text in SENTENCES]
    how = Draws(SamplingOptions(temperature=1.3, seed=5), 2, most=2)
    model, heads = load_model(translator.bundle), translator.bundle.alignment.heads
    plain = dict(searcher.ask(asked, how))
    for request, answer in searcher.ask(asked, how, attention=True):
        assert answer.hypotheses == plain[request].hypotheses
        for one in answer.hypotheses:
            rows = torch.tensor(one.attention)
            ours = recorded(model, request, one.ids, 0, heads, shift=1)
            assert torch.allclose(rows[: len(one.ids) - 1], ours[: len(one.ids) - 1], atol=0.1)  # in 8 bits
