"""CTranslate2 with a shortlist: what is on it is said as by a model that gives everything else no likelihood."""

import json
import random
import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch

import attendo
from attendo.decoding.options import SamplingOptions, SearchOptions
from attendo.engines.ct2.conversion import POSITIONS, Contents, Converted, specify
from attendo.engines.ct2.engine import load_ct2_engine
from attendo.engines.ct2.spec import Filling
from attendo.engines.engine import Request
from attendo.errors import ConfigError, InputError
from attendo.files.manifest import write_manifest
from attendo.model.shapes import num_parameters
from attendo.model_folder import checked_weights, shortlist
from attendo.model_folder.bundle import SHORTLIST, read_bundle
from attendo.model_folder.shortlist import write_shortlist
from attendo.model_folder.weights import save_model, weights_of
from attendo.special_tokens import SPECIAL
from tests.translation.fake_engine import logged
from tests.translation.small_translator import SMALL, random_model, small_tokenizer

CONFIG = replace(SMALL, encoder_layers=2, decoder_layers=2, output_bias=True)
ZH, EN = 4, 5  # tags
GREEDY, BEAM = SearchOptions(beam_size=1, stop="early"), SearchOptions(beam_size=4, stop="early")


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTENDO_CACHE", str(tmp_path / "cache"))


def save(folder, config, never=()):
    """A random model; `never`: what has a likelihood of e^-10,000 by its own weights."""
    tokenizer = small_tokenizer()
    model = random_model(config, tokenizer)
    weights = weights_of(model)
    with torch.no_grad():
        for name, weight in weights.items():
            if name.endswith("output.bias") and weight.shape == (tokenizer.vocab_size,):
                weight[list(never)] = -10_000.0
    save_model(folder, model, weights, tokenizer, [("zh", "en"), ("en", "zh")], "# Random\n")
    return folder


def with_lists(folder, lists):
    write_shortlist(folder / SHORTLIST, lists, read_bundle(folder))
    write_manifest(folder)
    return read_bundle(folder)


def some_ids(vocab, share, seed):
    """The special ones, and a share of all others."""
    rng = random.Random(seed)
    return np.array([*range(4), *(token for token in range(4, vocab) if rng.random() < share)])


def requests(count, vocab, tag, seed=0):
    rng = random.Random(seed)
    return [
        Request((tag, *(rng.randrange(6, vocab) for _ in range(rng.randint(1, 12))), SPECIAL.eos), 20)
        for _ in range(count)
    ]


@pytest.mark.parametrize("tied", [False, True])
@pytest.mark.parametrize("options", [GREEDY, BEAM], ids=["greedy", "beam 4"])
def test_as_a_model_that_never_says_the_rest(tmp_path, tied, options):
    config = replace(CONFIG, tied_output=tied)
    vocab = small_tokenizer().vocab_size
    listed = some_ids(vocab, 0.3, seed=1)
    never = sorted(set(range(vocab)) - set(listed.tolist()))
    witness = load_ct2_engine(read_bundle(save(tmp_path / "witness", config, never)), 1, "float32")
    engine = load_ct2_engine(with_lists(save(tmp_path / "model", config), {"en": listed}), 1, "float32")
    asked = requests(40, vocab, EN)
    for (ours,), (theirs,) in zip(engine.search(asked, options), witness.search(asked, options), strict=True):
        assert ours.ids == theirs.ids
        assert set(ours.ids) <= set(listed.tolist())
        assert ours.score == pytest.approx(theirs.score, abs=1e-4)
    free = load_ct2_engine(read_bundle(tmp_path / "model"), 1, "float32", full_vocabulary=True)
    said = {token for (found,) in free.search(asked, options) for token in found.ids}
    assert not said <= set(listed.tolist())  # or nothing was tested


@pytest.mark.parametrize("options", [GREEDY, BEAM], ids=["greedy", "beam 4"])
def test_with_everything_on_the_list_nothing_changes(tmp_path, options):
    """Everything but one token to which the weights give no likelihood."""
    folder = save(tmp_path / "model", CONFIG, never=[77])
    vocab = read_bundle(folder).config.vocab_size
    bundle = with_lists(folder, {"en": np.array([token for token in range(vocab) if token != 77])})
    listed, full = load_ct2_engine(bundle, 1), load_ct2_engine(bundle, 1, full_vocabulary=True)
    assert set(listed.shorter) == {EN}
    assert full.shorter == {}
    asked = requests(40, vocab, EN)
    for (ours,), (theirs,) in zip(listed.search(asked, options), full.search(asked, options), strict=True):
        assert (ours.ids, ours.score) == (theirs.ids, pytest.approx(theirs.score, abs=1e-5))


@pytest.fixture
def two_lists(tmp_path):
    folder = save(tmp_path / "model", CONFIG)
    vocab = read_bundle(folder).config.vocab_size
    return with_lists(folder, {"zh": some_ids(vocab, 0.3, seed=2), "en": some_ids(vocab, 0.3, seed=3)})


def test_each_language_has_its_own_and_company_changes_nothing(two_lists):
    engine = load_ct2_engine(two_lists, 2, "float32")
    vocab, lists = two_lists.config.vocab_size, shortlist.read_shortlist(two_lists)
    asked = requests(30, vocab, ZH) + requests(30, vocab, EN, seed=1)
    random.Random(1).shuffle(asked)
    for options in (GREEDY, BEAM):
        alone = [next(engine.search([request], options))[0].ids for request in asked]
        assert [found[0].ids for found in engine.search(asked, options)] == alone
        for request, ids in zip(asked, alone, strict=True):
            assert set(ids) <= set(lists[two_lists.languages[request.ids[0] - ZH]].tolist())
        assert [found[0].ids for found in engine.with_same_batches().search(asked, options)] == alone
    assert engine.loaded.value is None  # nobody needed the full vocabulary
    assert {two_lists.languages[tag - ZH] for tag in engine.shorter} == {"zh", "en"}


def test_what_is_asked_for_by_name_can_be_said(two_lists):
    engine = load_ct2_engine(two_lists, 1, "float32")
    full = load_ct2_engine(two_lists, 1, "float32", full_vocabulary=True)
    (request,) = requests(1, two_lists.config.vocab_size, EN)
    listed = set(target_names(two_lists, "en"))
    foreign = [token for token in range(6, 60) if str(token) not in listed][:2]
    begun = request._replace(prefix=tuple(foreign))
    for options in (GREEDY, BEAM):
        assert next(engine.search([begun], options))[0].ids == next(full.search([begun], options))[0].ids
    pair = (request, (*foreign, SPECIAL.eos))
    assert engine.score([pair])[0].token_log_probs == full.score([pair])[0].token_log_probs
    drawn = SamplingOptions(seed=3)
    assert engine.sample([request], drawn)[0].ids == full.sample([request], drawn)[0].ids
    assert tuple(engine.tokens(request)) == next(engine.search([request], GREEDY))[0].ids


def test_attention_comes_with_the_answers(two_lists):
    engine = load_ct2_engine(two_lists, 1, "float32")
    asked = requests(6, two_lists.config.vocab_size, EN) + requests(6, two_lists.config.vocab_size, ZH)
    with_it, without = engine.search(asked, BEAM, attention=True), engine.search(asked, BEAM)
    for request, (one,), (other,) in zip(asked, with_it, without, strict=True):
        assert one.ids == other.ids
        assert len(one.attention) == len(one.ids)
        assert all(len(row) == len(request.ids) for row in one.attention)
        assert all(sum(row) == pytest.approx(1, abs=1e-3) for row in one.attention)


@pytest.mark.parametrize(("listed", "rows"), [(POSITIONS - 1, POSITIONS), (POSITIONS, POSITIONS + 1)])
def test_positions_have_another_number_of_rows_than_what_is_said(listed, rows):
    filling = Filling(replace(CONFIG, positions="none"), {}, np.arange(listed))
    assert len(filling.positions("source_positions.weight")) == rows


def form_into(bundle, into):
    with Converted(bundle, "float32", languages=[into]).folder(into) as folder:
        return folder


def target_names(bundle, into):
    return json.loads((form_into(bundle, into) / "target_vocabulary.json").read_text(encoding="utf-8"))


def test_the_files_have_the_list_and_are_made_again_if_damaged(two_lists):
    listed = some_ids(two_lists.config.vocab_size, 0.3, seed=3)
    assert target_names(two_lists, "en") == list(map(str, listed))
    folder = form_into(two_lists, "en")
    assert folder != form_into(two_lists, "zh")
    source = json.loads((folder / "source_vocabulary.json").read_text(encoding="utf-8"))
    assert source == list(map(str, range(two_lists.config.vocab_size)))
    (folder / "target_vocabulary.json").write_text("[]", encoding="utf-8")
    assert target_names(two_lists, "en") == list(map(str, listed))


def test_a_form_for_one_language_is_a_translator(two_lists):
    for form in ("encoder", "generator"):
        with pytest.raises(ConfigError, match="for one language: expected a translator"):
            specify(Contents(two_lists), form, "en")


def test_nothing_of_the_folder_is_needed_once_it_is_loaded(two_lists, tmp_path, monkeypatch):
    """Nor the folder where we were, by which the model's and the cache's were named."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ATTENDO_CACHE", "cache")
    engine = load_ct2_engine(read_bundle(Path("model")), 1)
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    shutil.rmtree(tmp_path / "model")
    vocab = two_lists.config.vocab_size
    into_zh, into_en = requests(1, vocab, ZH) + requests(1, vocab, EN)
    for request in (into_zh, into_en, into_en._replace(prefix=(40, 41))):
        assert next(engine.search([request], GREEDY))[0].ids
    assert engine.score([(into_en, (7, SPECIAL.eos))])[0].log_prob < 0


def test_weights_and_lists_are_read_once_and_never_again(two_lists, tmp_path, monkeypatch):
    read = []
    for module, name in ((checked_weights, "read_weights"), (shortlist, "read_shortlist")):
        of_file = getattr(module, name)
        monkeypatch.setattr(module, name, lambda bundle, to_note=name, of=of_file: read.append(to_note) or of(bundle))
    load_ct2_engine(two_lists, 1)
    assert sorted(read) == ["read_shortlist", "read_weights"]
    forms = sorted((tmp_path / "cache" / "ct2").iterdir())
    assert len(forms) == 3
    made = [{file.name: file.read_bytes() for file in folder.iterdir()} for folder in forms]
    again = load_ct2_engine(two_lists, 1)
    assert all(next(again.search(requests(1, two_lists.config.vocab_size, tag), BEAM)) for tag in (ZH, EN))
    assert len(read) == 2
    for folder, files in zip(forms, made, strict=True):  # one made of what is read for it alone is the same
        shutil.rmtree(folder)
        load_ct2_engine(two_lists, 1)
        assert {file.name: file.read_bytes() for file in folder.iterdir()} == files


def addresses(bundle, threads, quantization="int8", **options):
    """How many MB it says that it needs, where there are none."""
    with pytest.raises(InputError, match="address space are needed") as caught:
        load_ct2_engine(bundle, threads, quantization, **options)
    return int(str(caught.value).split(" MB")[0].replace(",", ""))


def test_addresses_are_counted_for_every_form_and_thread_and_for_numbers_as_they_are_computed(
    two_lists, tmp_path, monkeypatch
):
    resource = pytest.importorskip("resource")
    monkeypatch.setattr(resource, "getrlimit", lambda _: (1, 1))
    full = [addresses(two_lists, threads, full_vocabulary=True) for threads in (1, 2, 4)]
    listed = [addresses(two_lists, threads) for threads in (1, 2, 4)]
    assert full[1] - full[0] == (full[2] - full[1]) / 2 > 72  # an arena of 64 MB and a stack of 8
    assert [three - one for one, three in zip(full, listed, strict=True)] == [
        pytest.approx(2 * (16 + 76 * threads), abs=2) for threads in (1, 2, 4)
    ]
    large = replace(two_lists, config=replace(CONFIG, vocab_size=400_000, d_model=64))  # 26 million numbers and more
    n = num_parameters(large.config) / 2**20
    for quantization, size in (("int8", 1), ("float32", 4)):
        besides = addresses(two_lists, 1, quantization, full_vocabulary=True)
        assert addresses(large, 1, quantization, full_vocabulary=True) == pytest.approx(besides + (4 + size) * n, abs=2)


def test_where_nothing_can_be_kept_all_are_open_at_once(two_lists, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("no folder")
    monkeypatch.setenv("ATTENDO_CACHE", str(tmp_path / "file" / "cache"))
    with logged() as messages:
        engine = load_ct2_engine(two_lists, 1)
    assert len(messages) == 1
    shutil.rmtree(two_lists.folder)
    asked = [request for tag in (ZH, EN) for request in requests(2, two_lists.config.vocab_size, tag)]
    assert all(found.ids for (found,) in engine.search([*asked, asked[0]._replace(prefix=(40,))], GREEDY))


def test_from_text_to_text(two_lists, tmp_path):
    """By the function that everybody calls; without the list the folder is another model to the cache."""
    texts = ["我爱机器学习。", "你好吗？"]
    quick = attendo.load(two_lists.folder, engine="ct2", threads=1)
    full = attendo.load(two_lists.folder, engine="ct2", threads=1, full_vocabulary=True)
    assert [one.text for one in quick.translate(texts, to="en")] != [one.text for one in full.translate(texts, to="en")]
    bare = shutil.copytree(two_lists.folder, tmp_path / "bare")
    (bare / SHORTLIST).unlink()
    write_manifest(bare)
    expected = [one.text for one in attendo.load(bare, engine="ct2", threads=1).translate(texts, to="en")]
    assert [one.text for one in full.translate(texts, to="en")] == expected
