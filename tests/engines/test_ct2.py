"""CTranslate2 beside the torch engine, with the same weights: the same numbers, the same answers; and its files."""

import os
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

import attendo
from attendo.decoding.options import SamplingOptions, SearchOptions
from attendo.engines.ct2 import conversion as ct2
from attendo.engines.ct2.conversion import POSITIONS
from attendo.engines.ct2.engine import Ct2Engine, batch_size, group_alike, load_ct2_engine
from attendo.engines.engine import Limits, Request
from attendo.engines.process import OfThisProcess
from attendo.engines.torch_engine import load_torch_engine
from attendo.errors import ConfigError, InputError
from attendo.model.config import DecoderOnlyConfig, TransformerConfig
from attendo.model_folder.bundle import read_bundle
from attendo.special_tokens import SPECIAL
from attendo.translation.options import TranslationOptions
from tests.translation.fake_engine import logged
from tests.translation.small_translator import SMALL, save_random

DEEPER = replace(SMALL, encoder_layers=2, decoder_layers=2)
CONFIGS = {
    "the paper's": DEEPER,
    "tied": replace(DEEPER, tied_output=True),
    "pre-norm": replace(DEEPER, norm_order="pre"),
    "RMSNorm, pre-norm": replace(DEEPER, norm="rms", norm_order="pre"),
    "learned positions": replace(DEEPER, positions="learned", max_length=300),
    "no positions": replace(DEEPER, positions="none"),
    "rotary": replace(DEEPER, positions="rotary"),
    "GELU": replace(DEEPER, activation="gelu"),
    "SwiGLU, no bias": replace(DEEPER, activation="swiglu", bias=False),
    "another ε": replace(DEEPER, norm_eps=1e-3),
    "swish, a table of the source's own, output bias": replace(
        DEEPER, activation="swish", shared_embedding=False, output_bias=True, positions="sinusoidal-halves"
    ),
}


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("ATTENDO_CACHE", str(tmp_path / "cache"))


def requests(count, vocab, longest=12, max_length=20, seed=0):
    rng = random.Random(seed)
    return [
        Request((5, *(rng.randrange(6, vocab) for _ in range(rng.randint(1, longest))), SPECIAL.eos), max_length)
        for _ in range(count)
    ]


def equal(first, second):
    """How many answers are the same.

    What must not be said CTranslate2 takes away before the softmax, and we behind it. Greedy search chooses the same
    token either way; in a beam hypotheses compete by sums of log-probabilities, and a random model gives padding some.
    """
    return sum([h.ids for h in one] == [h.ids for h in other] for one, other in zip(first, second, strict=True))


@pytest.mark.parametrize("name", CONFIGS)
def test_the_same_numbers_and_the_same_answers(tmp_path, name):
    bundle = read_bundle(save_random(tmp_path / "model", config=CONFIGS[name]))
    ours, theirs = load_torch_engine(bundle, "cpu"), load_ct2_engine(bundle, 1, "float32")
    asked = requests(20, bundle.model["vocab_size"])
    pairs = [(request, (7, 9, 30, 8, SPECIAL.eos)) for request in asked]
    for one, other in zip(ours.score(pairs), theirs.score(pairs), strict=True):
        assert one.token_log_probs == pytest.approx(other.token_log_probs, abs=2e-3)
        assert one.log_prob == pytest.approx(other.log_prob, abs=5e-3)
    for beam, at_least in ((1, 20), (4, 17)):
        options = SearchOptions(beam_size=beam, stop="early")
        assert equal(ours.search(asked, options), theirs.search(asked, options)) >= at_least


@pytest.mark.parametrize(
    "options",
    [
        SearchOptions(beam_size=3, n_best=3, stop="early"),
        SearchOptions(beam_size=4, stop="early", length_penalty=0.6),
        SearchOptions(beam_size=1, no_repeat_ngram=2),
        SearchOptions(beam_size=1, min_length=9),
        SearchOptions(beam_size=1, repetition_penalty=1.3),
    ],
    ids=str,
)
def test_options_mean_the_same(tmp_path, options):
    bundle = read_bundle(save_random(tmp_path / "model", config=DEEPER, ends=0.0))
    ours, theirs = load_torch_engine(bundle, "cpu"), load_ct2_engine(bundle, 1, "float32")
    asked = requests(20, bundle.model["vocab_size"])
    found, other = ours.search(asked, options), theirs.search(asked, options)
    assert equal(found, other) >= (20 if options.beam_size == 1 else 13)
    assert [len(of_one) for of_one in found] == [len(of_one) for of_one in other]
    for one, two in zip(found, other, strict=True):
        if [h.ids for h in one] == [h.ids for h in two]:
            assert [h.ended for h in one] == [h.ended for h in two]
            if not (options.repetition_penalty > 1 or options.no_repeat_ngram or options.min_length):
                assert [h.score for h in one] == pytest.approx([h.score for h in two], rel=0.01)


def test_no_repeated_ngrams_in_a_beam(tmp_path):
    bundle = read_bundle(save_random(tmp_path / "model"))
    options = SearchOptions(beam_size=4, no_repeat_ngram=3, stop="early")
    for (best,) in load_ct2_engine(bundle, 1).search(requests(10, bundle.model["vocab_size"]), options):
        ngrams = list(zip(best.ids, best.ids[1:], best.ids[2:], strict=False))
        assert len(set(ngrams)) == len(ngrams)


def test_tokens_come_one_by_one(tmp_path):
    bundle = read_bundle(save_random(tmp_path / "model"))
    engine = load_ct2_engine(bundle, 1, "float32")
    (request,) = requests(1, bundle.model["vocab_size"])
    assert tuple(engine.tokens(request)) == next(engine.search([request], SearchOptions(beam_size=1)))[0].ids


def test_a_prefix_is_said(tmp_path):
    bundle = read_bundle(save_random(tmp_path / "model"))
    engine = load_ct2_engine(bundle, 1)
    (request,) = requests(1, bundle.model["vocab_size"])
    asked = [request, request._replace(prefix=(40, 41))]
    free, bound = engine.search(asked, SearchOptions(beam_size=2, stop="early"))
    assert bound[0].ids[:2] == (40, 41)
    assert free[0].ids == next(engine.search([request], SearchOptions(beam_size=2, stop="early")))[0].ids


def test_sentences_of_one_bound_go_together():
    asked = [Request((5, 2), 64), Request((5, 6, 2), 128), Request((5, 7, 2), 64), Request((5, 2), 64, prefix=(8,))]
    assert group_alike(asked) == {(64, False): [0, 2], (128, False): [1], (64, True): [3]}


def test_threads_change_neither_answers_nor_their_order(tmp_path):
    bundle = read_bundle(save_random(tmp_path / "model", config=DEEPER, ends=2.0))
    one, two = (load_ct2_engine(bundle, threads, "float32") for threads in (1, 2))
    asked = requests(50, DEEPER.vocab_size)
    search = SearchOptions(beam_size=1, stop="early")
    answers = list(one.search(asked, search))
    assert [[h.ids for h in found] for found in two.search(asked, search)] == [[h.ids for h in f] for f in answers]
    pairs = [(request, found[0].ids) for request, found in zip(asked, answers, strict=True)]
    for alone, shared in zip(one.score(pairs), two.score(pairs), strict=True):
        assert shared.ids == alone.ids
        assert shared.log_prob == pytest.approx(alone.log_prob, abs=1e-4)


@pytest.mark.parametrize(
    ("sentences", "threads", "together"),
    [(1, 1, 1), (30, 1, 30), (50, 1, 25), (1, 2, 4), (8, 2, 4), (32, 2, 8), (33, 2, 9), (128, 2, 32), (500, 2, 32)],
)
def test_batches_are_shared_out_but_stay_batches(sentences, threads, together):
    assert batch_size(sentences, threads) == together


def test_who_searches_beside_others_does_not_share_out_its_batch():
    class Translator:
        num_active_batches = 0

        def translate_batch(self, sources, *, max_batch_size, **_):
            sizes.append(max_batch_size)
            return sources

    sizes, translator = [], Translator()
    engine = Ct2Engine(OfThisProcess(lambda: translator), Limits(100, 100), "int8", threads=2, vocab_size=50)
    for translator.num_active_batches in (0, 1, 3):
        engine.search([Request((5, 6), 50)] * 16, SearchOptions(beam_size=1))
    assert sizes == [4, 16, 16]


def test_a_source_beyond_the_positions_is_cut_by_the_translator_and_said_to_be(tmp_path):
    """CTranslate2 itself raises; what it is given is never so long."""
    translator = attendo.load(save_random(tmp_path / "model", ends=9.0), engine="ct2", threads=1)
    line = "𠀀𠀁𠀂𠀃" * 700  # four tokens each, and more than 1,024 together
    answer = translator.translate(line, to="en", options=TranslationOptions(beam=1))
    assert answer.ledger.adds_up
    assert answer.ledger.cut > 0
    assert max(len(translator.tokenizer.encode(one.source)) for one in answer.sentences) < POSITIONS // 2


def test_what_it_cannot_do_it_says(tmp_path):
    bundle = read_bundle(save_random(tmp_path / "model"))
    engine = load_ct2_engine(bundle, 1)
    with pytest.raises(ConfigError, match="phrases"):
        engine.search([Request((5, 2), 9, phrases=((7,),))], SearchOptions())
    with pytest.raises(ConfigError, match="phrases"):
        engine.sample([Request((5, 2), 9, phrases=((7,),))], SamplingOptions())
    with pytest.raises(ConfigError, match="expected auto, cpu or cuda"):
        attendo.load(bundle.folder, engine="ct2", device="mps")
    other = DecoderOnlyConfig(vocab_size=8, d_model=16, d_ff=32, num_heads=2, num_layers=1)
    folder = save_random(tmp_path / "other", config=other)
    with pytest.raises(ConfigError, match="cannot be run by CTranslate2"):
        attendo.load(folder, engine="ct2")
    assert attendo.load(folder).engine.name.startswith("torch")  # auto knows
    additive = TransformerConfig(
        vocab_size=8, d_model=16, d_ff=32, num_heads=2, encoder_layers=1, decoder_layers=1, compatibility="additive"
    )
    folder = save_random(tmp_path / "additive", config=additive)
    with pytest.raises(ConfigError, match="compares by dot products alone, and this model's is additive"):
        attendo.load(folder, engine="ct2")
    assert attendo.load(folder).engine.name.startswith("torch")
    assert attendo.load(bundle.folder, device="cpu").engine.name.startswith("CTranslate2")


def test_terms_are_said_without_torch(tmp_path):
    from attendo.translation.glossary import Glossary, Term

    translator = attendo.load(save_random(tmp_path / "model", ends=9.0), engine="ct2", threads=1)
    glossary = Glossary([Term("机器学习", "machine learning")])
    answer = translator.translate("我爱机器学习。你好吗？", to="en", options=TranslationOptions(glossary=glossary))
    assert "machine learning" in answer.text
    assert answer.engine.startswith("CTranslate2")


# --- its files


def converted(bundle):
    with ct2.Converted(bundle, "int8").folder() as folder:
        return folder, {path.name: path.read_bytes() for path in folder.iterdir()}


def test_it_is_made_once(tmp_path, monkeypatch):
    bundle = read_bundle(save_random(tmp_path / "model"))
    first = converted(bundle)
    monkeypatch.setattr(ct2, "write_form", lambda *_, **__: pytest.fail("made again"))
    assert converted(bundle) == first


def test_tied_weights_are_written_once(tmp_path):
    tied = read_bundle(save_random(tmp_path / "tied", config=replace(SMALL, tied_output=True)))
    apart = read_bundle(save_random(tmp_path / "apart", config=SMALL))
    sizes = [len(converted(bundle)[1]["model.bin"]) for bundle in (tied, apart)]
    assert sizes[1] - sizes[0] > 0.9 * tied.model["vocab_size"] * SMALL.d_model


@pytest.mark.parametrize("name", ct2.FILES)
def test_a_flipped_bit_is_seen_and_mended(tmp_path, name, evidence):
    bundle = read_bundle(save_random(tmp_path / "model"))
    folder, files = converted(bundle)
    damaged = bytearray(files[name])
    damaged[len(damaged) // 2] ^= 1
    (folder / name).write_bytes(damaged)
    with logged() as messages:
        assert converted(bundle) == (folder, files)
    assert len(messages) == 1
    assert name in messages[0]
    evidence("F8", f"a flipped bit in the fast engine's {name}", "seen, and the file made again")


def test_where_nothing_can_be_kept_it_still_translates(tmp_path, monkeypatch):
    no_folder = tmp_path / "file"
    no_folder.write_text("no folder")
    monkeypatch.setenv("ATTENDO_CACHE", str(no_folder / "cache"))
    with logged() as messages:
        translator = attendo.load(save_random(tmp_path / "model", ends=9.0), engine="ct2")
    assert translator.translate("你好吗？", to="en").ledger.adds_up
    assert len(messages) == 1
    assert "cannot be kept" in messages[0]


CONVERT = """
import sys
from pathlib import Path
from attendo.model_folder.bundle import read_bundle
from attendo.engines.ct2.engine import load_ct2_engine
from attendo.engines.engine import Limits, Request
from attendo.engines.process import OfThisProcess
from attendo.decoding.options import SearchOptions
engine = load_ct2_engine(read_bundle(Path(sys.argv[1])), 1)
print(next(engine.search([Request((5, 9, 2), 20)], SearchOptions(beam_size=1)))[0].ids, "torch" in sys.modules)
"""


def test_two_processes_at_once_and_no_torch_in_either(tmp_path):
    folder = save_random(tmp_path / "model")
    started = [
        subprocess.Popen([sys.executable, "-c", CONVERT, str(folder)], stdout=subprocess.PIPE, text=True)
        for _ in range(3)
    ]
    answers = {process.communicate(timeout=120)[0] for process in started}
    assert all(process.returncode == 0 for process in started)
    assert len(answers) == 1
    assert answers.pop().endswith("False\n")
    assert len(list((Path(os.environ["ATTENDO_CACHE"]) / "ct2").iterdir())) == 1


def test_a_conversion_that_was_killed_leaves_nothing_that_is_believed(tmp_path, monkeypatch, evidence):
    bundle = read_bundle(save_random(tmp_path / "model"))

    class Killed(BaseException):
        pass

    def die(folder):
        raise Killed

    with monkeypatch.context() as patch:
        patch.setattr(ct2, "write_manifest", die)
        with pytest.raises(Killed):
            converted(bundle)
    half = Path(os.environ["ATTENDO_CACHE"]) / "ct2" / "half"
    assert not list(half.parent.iterdir())
    with logged() as messages:
        folder, files = converted(bundle)
    assert not messages
    for path in folder.iterdir():  # half of the files: as if killed between two of them
        if path.name == "model.bin":
            path.unlink()
    with logged() as messages:
        assert converted(bundle)[1] == files
    assert len(messages) == 1
    evidence("F7", "conversions killed half-way that were believed", 0)


def test_weights_that_do_not_fit_are_an_error(tmp_path):
    from attendo.engines.ct2.spec import specification
    from attendo.files.tensor_arrays import read_arrays

    bundle = read_bundle(save_random(tmp_path / "model"))
    weights = read_arrays(bundle.weights)
    config = ct2.transformer_config(bundle)
    assert isinstance(config, TransformerConfig)
    with pytest.raises(InputError, match="no place"):
        specification(config, weights | {"extra": weights["embedding.weight"]})
    weights.pop("decoder.layers.0.cross_attention.key.bias")
    with pytest.raises(InputError, match=r"cross_attention.key.bias' is missing"):
        specification(config, weights)
