"""The non-autoregressive family by recipe and command: it learns, resumes, begins as a teacher, says what it cannot."""

import json
import shutil
from pathlib import Path

import pytest
import torch

import attendo
from attendo.decoding.mask_predict import mask_predict, score_at_once
from attendo.errors import ConfigError, InputError, UsageError
from attendo.model_folder.bundle import read_bundle
from attendo.model_folder.weights import load_model, weights_of
from attendo.recipe.read import read_recipe
from attendo.runs.build_trainer import first_model
from attendo.runs.prepare import prepare
from tests.cli.command import command

RECIPE = """
[data]
languages = ["abc", "cba"]
directions = ["abc-cba"]
held_out = 0.05
[[data.corpora]]
task = "copy"
pairs = 1_500
shortest = 2
longest = 4
letters = 5
[tokenizer]
kind = "char"
[model]
preset = "multi30k"
family = "non-autoregressive"
d_model = 32
d_ff = 64
encoder_layers = 1
decoder_layers = 1
dropout = 0.0
norm_order = "pre"
[training]
seed = 1
max_steps = 300
tokens_per_batch = 500
schedule = "cosine"
learning_rate = 8e-3
warmup_steps = 40
label_smoothing = 0.0
checkpoint_every = 300
threads = 1
[validation]
every = 300
metric = "exact"
"""
TEACHER = RECIPE.replace('family = "non-autoregressive"\n', "")
FEW = ["training.max_steps=6", "training.warmup_steps=2", "training.checkpoint_every=3", "validation.every=6"]
WORDS = ["abca", "dace", "be", "decb", "aabb"]


def run(*arguments):
    ended = command(*map(str, arguments))
    return ended.code, ended.out, ended.err


def recipe_file(folder, text=RECIPE):
    path = folder / "recipe.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    folder = tmp_path_factory.mktemp("at-once")
    return attendo.train(recipe_file(folder), folder / "run")


@pytest.fixture(scope="module")
def teacher(tmp_path_factory):
    folder = tmp_path_factory.mktemp("teacher")
    return attendo.train(recipe_file(folder, TEACHER), folder / "run", settings=FEW).model


@pytest.fixture(scope="module")
def translator(trained):
    return attendo.load(trained.model, device="cpu", threads=1)


def test_it_learns_to_copy_words(trained, translator):
    """What was held out, by four passes; and the engine that is chosen is torch."""
    assert trained.best_score > 0.9
    assert [answer.text for answer in translator.translate(WORDS)] == WORDS
    assert translator.engine.name.startswith("torch")


@pytest.mark.parametrize("passes", [1, 3])
def test_the_command_gives_what_the_function_gives(trained, passes):
    code, out, _ = run("translate", *WORDS, "--model", trained.model, "--passes", passes, "--device", "cpu", "--json")
    assert code == 0
    bundle = read_bundle(trained.model)
    tokenizer, model = bundle.tokenizer(), load_model(bundle)
    for word, line in zip(WORDS, out.splitlines(), strict=True):
        source = torch.tensor([tokenizer.source_ids(word, "cba")])
        (expected,) = mask_predict(model, source, passes, num_lengths=5)
        answer = json.loads(line)
        assert answer["text"] == tokenizer.decode(expected.ids)
        assert answer["score"] == pytest.approx(expected.score, abs=1e-4)


def test_alternatives_are_other_lengths(translator):
    answer = translator.translate("abca", options=attendo.TranslationOptions(n_best=3))
    assert len({len(text) for text in (answer.text, *answer.alternatives)}) == 3


def test_ten_passes_are_the_default(translator):
    assert translator.suited(attendo.TranslationOptions()).search.passes == 10
    asked = attendo.TranslationOptions(search=attendo.SearchOptions(passes=4, lengths=2))
    assert translator.suited(asked) == asked


def test_a_glossary_is_kept(translator):
    options = attendo.TranslationOptions(glossary={"dace": "XY"})
    assert "XY" in translator.translate("abca dace be", options=options).text


def test_a_score_is_that_of_one_pass(translator):
    """log p(n | x) + Σ log p(word | x, n); the sum over all words of one letter and all lengths is 1."""
    good, bad = translator.score([("abca", "abca"), ("abca", "abcd")])
    assert good.log_prob > bad.log_prob
    bundle = translator.bundle
    model, tokenizer = load_model(bundle), bundle.tokenizer()
    source = torch.tensor([tokenizer.source_ids("be", "cba")])
    pieces = range(3, tokenizer.vocab_size)
    targets = torch.tensor([[piece, 2] for piece in pieces])
    found = score_at_once(model, source.expand(len(targets), -1), targets)
    of_length = found[0].token_log_probs[-1]
    assert all(one.token_log_probs[-1] == pytest.approx(of_length) for one in found)
    total = sum(torch.tensor(one.token_log_probs[0]).exp().item() for one in found)
    assert total == pytest.approx(1.0, abs=1e-3)  # but for what is no word: padding, <s>, </s>


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"beam": 7}, "has no beam"),
        ({"search": attendo.SearchOptions(no_repeat_ngram=3)}, "no_repeat_ngram = 3"),
        ({"search": attendo.SearchOptions(repetition_penalty=1.5)}, "repetition_penalty = 1.5"),
        ({"search": attendo.SearchOptions(min_length=3)}, "min_length = 3"),
    ],
)
def test_what_it_cannot_follow_is_said(translator, options, said):
    with pytest.raises(UsageError, match=said):
        translator.translate("abca", options=attendo.TranslationOptions(**options))


def test_what_needs_one_word_after_the_other_is_refused(translator):
    with pytest.raises(InputError, match="no tokens to stream"):
        list(translator.stream_tokens("abca"))
    request, _ = translator.preparer.request("abca", translator.preparer.languages("", None, None))
    for forced in (replace_request(request, prefix=(40,)), replace_request(request, phrases=((40,),))):
        with pytest.raises(InputError, match="no beginning and no phrase"):
            translator.engine.search([forced], attendo.SearchOptions())
    assert "".join(translator.stream("abca")) == "abca"


def replace_request(request, **changes):
    return request._replace(**changes)


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (("translate", "abca", "--beam", "7"), 2, "has no beam"),
        (("translate", "abca", "--sample"), 2, "gives all words at once"),
        (("translate", "abca", "--passes", "0"), 2, "--passes"),
        (("translate", "abca", "--engine", "ct2"), 1, "cannot be run by CTranslate2"),
        (("explain", "abca", "--to", "cba"), 1, "non-autoregressive"),
        (("inspect", "abca", "--to", "cba", "--out", "pictures"), 1, "gives all words at once"),
    ],
)
def test_the_commands_say_why_not(trained, arguments, code, said, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    found, _, err = run(*arguments, "--model", trained.model)
    assert found == code
    assert said in err


def test_it_cannot_be_exported(trained, tmp_path):
    code, _, err = run("export", "--to", "ct2", trained.model, tmp_path / "out")
    assert (code, "cannot be run by CTranslate2" in err) == (1, True)


def test_passes_are_for_this_family_alone():
    code, _, err = run("translate", "Hallo", "--to", "en", "--passes", "4")
    assert code == 2
    assert "only a non-autoregressive model is asked for passes" in err


def test_it_is_described(trained):
    code, out, _ = run("describe", trained.model, "--json")
    assert code == 0
    assert json.loads(out)["config"]["family"] == "non-autoregressive"


def test_a_run_goes_on_to_the_same_weights(tmp_path):
    file, straight = recipe_file(tmp_path), tmp_path / "straight"
    attendo.train(file, straight, settings=FEW)
    shutil.copytree(straight, tmp_path / "cut")
    shutil.rmtree(tmp_path / "cut" / "model")
    shutil.rmtree(tmp_path / "cut" / "checkpoints" / "step-6")
    assert attendo.train(file, tmp_path / "cut", settings=FEW).step == 6
    first, second = (load_model(read_bundle(tmp_path / name / "model")) for name in ("straight", "cut"))
    for name, weight in weights_of(first).items():
        assert weight.equal(weights_of(second)[name]), name


def test_a_student_begins_with_the_weights_of_its_teacher(teacher, tmp_path):
    model = f'[model]\nfamily = "non-autoregressive"\ninit_from = "{teacher}"\n'
    start, end = TEACHER.index("[tokenizer]"), TEACHER.index("[training]")
    recipe = read_recipe(recipe_file(tmp_path, TEACHER[:start] + model + TEACHER[end:]), FEW)
    prepared = prepare(recipe, tmp_path / "cache")
    student = first_model(recipe, prepared.model)
    own = weights_of(student.parts)
    for name, weight in weights_of(load_model(read_bundle(teacher))).items():
        assert weight.equal(own[name]), name
    assert attendo.train(recipe, tmp_path / "run").finished


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('preset = "multi30k"', 'preset = "llama-7b"', "only non-autoregressive can have those"),
        ("label_smoothing = 0.0", "label_smoothing = 0.0\nr_drop = 5.0", "r_drop"),
        ('metric = "exact"', 'metric = "accuracy"', "accuracy"),
    ],
)
def test_recipes_that_cannot_be(tmp_path, old, new, said):
    text = RECIPE.replace(old, new)
    if "llama" in new:
        text = text.replace("encoder_layers = 1\ndecoder_layers = 1\n", "")
    with pytest.raises(ConfigError, match=said):
        prepare(read_recipe(recipe_file(tmp_path, text)), tmp_path / "cache")


def test_the_recipes_we_ship_read(monkeypatch, tmp_path):
    """With something empty in place of the files and models they name."""
    folder = Path(__file__).parent.parent.parent / "recipes" / "non_autoregressive"
    for name in ("en-de/multi30k.valid.tsv", "en-de/multi30k.train.tsv.xz", "runs/non-autoregressive/distilled.tsv"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"")
    (tmp_path / "runs/non-autoregressive/teacher/model").mkdir(parents=True)
    monkeypatch.setenv("ATTENDO_DATA", str(tmp_path))
    teacher, student = (read_recipe(folder / f"{name}.toml") for name in ("teacher", "student"))
    assert teacher.model.config(8_000).decoder_layers == 3
    assert student.model.family == "non-autoregressive"


def test_what_a_teacher_makes_of_a_corpus(teacher, tmp_path, monkeypatch):
    from recipes.non_autoregressive.distil import distil

    (tmp_path / "corpus.tsv").write_text("".join(f"{word}\tx\n" for word in WORDS), encoding="utf-8")
    kept, read = distil(teacher, tmp_path / "corpus.tsv", ("abc", "cba"), tmp_path / "told.tsv", "cpu")
    lines = (tmp_path / "told.tsv").read_text(encoding="utf-8").splitlines()
    assert (len(lines), read) == (kept, len(WORDS))
    options = attendo.TranslationOptions(beam=4, wider_retry=False, doubt=False)
    for source, target in (line.split("\t") for line in lines):
        answer = attendo.load(teacher, engine="torch", device="cpu").translate(source, options=options)
        assert target == answer.to_line()
