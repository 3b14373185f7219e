"""Reading a recipe: what it says, what the command line sets, where its files are, and what is wrong, in one line."""

import random
import string
import time
from pathlib import Path

import pytest

from attendo.errors import AttendoError, ConfigError, UsageError
from attendo.recipe.read import LARGEST_FILE, read_recipe
from attendo.recipe.recipe import recipe_from_dict
from attendo.recipe.write import recipe_to_toml

# The example that all documents show.
CONTRACT = """
[data]
languages = ["zh", "en"]
directions = ["zh-en", "en-zh"]
validation = "zh-en/tatoeba.dev.tsv"

[[data.corpora]]
file = "zh-en/tatoeba.train.tsv.xz"
weight = 2.0

[tokenizer]
kind = "bpe"
vocab_size = 16000

[model]
preset = "small"
dropout = 0.2

[training]
seed = 1
max_steps = 20000
tokens_per_batch = 25000
checkpoint_every = 500

[validation]
every = 500
"""


def touch(*paths):
    for path in paths:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("", encoding="utf-8")


@pytest.fixture
def recipe(tmp_path):
    touch(tmp_path / "data/zh-en/tatoeba.dev.tsv", tmp_path / "data/zh-en/tatoeba.train.tsv.xz")
    path = tmp_path / "recipe.toml"
    path.write_text(CONTRACT, encoding="utf-8")
    return path


def complaint(path, *overrides):
    with pytest.raises(AttendoError) as caught:
        read_recipe(path, overrides)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 600
    return str(caught.value)


def test_the_example_reads_with_every_default_filled_in(recipe, tmp_path):
    read = read_recipe(recipe)
    (corpus,) = read.data.corpora
    assert corpus.file == str(tmp_path / "data/zh-en/tatoeba.train.tsv.xz")
    assert corpus.languages == ("zh", "en")
    assert corpus.weight == 2.0
    assert read.data.validation == (str(tmp_path / "data/zh-en/tatoeba.dev.tsv"),)
    assert read.data.parsed_directions() == [("zh", "en"), ("en", "zh")]
    assert read.model.changes["dropout"] == 0.2
    assert read.model.changes["d_ff"] == 1024
    assert read.model.config(vocab_size=500).vocab_size == 500
    assert read.training.warmup_steps == 4000


def test_without_a_model_it_is_the_papers(recipe):
    recipe.write_text(CONTRACT.replace('preset = "small"\ndropout = 0.2', ""), encoding="utf-8")
    assert read_recipe(recipe).model.preset == "base"
    assert read_recipe(recipe).model.changes["d_ff"] == 2048


@pytest.mark.parametrize(
    ("override", "where", "value"),
    [
        ("training.seed=2", "training.seed", 2),
        ("training.learning_rate=2e-3", "training.learning_rate", 0.002),
        ("training.device=cuda", "training.device", "cuda"),
        ('training.device="cuda"', "training.device", "cuda"),
        ("training.tensorboard=true", "training.tensorboard", True),
        ("training.device=a = b", "training.device", "a = b"),
        ("training.device=1\nseed = 2", "training.device", "1\nseed = 2"),
        ("training.device=", "training.device", ""),
        (" training . seed =7", "training.seed", 7),
        ("data.filters.max_length=false", "data.filters.max_length", None),
        ("data.filters.max_ratio=3", "data.filters.max_ratio", 3.0),
        ('data.directions=["en-zh"]', "data.directions", ("en-zh",)),
        ("validation.patience=4", "validation.patience", 4),
    ],
)
def test_set_on_the_command_line(recipe, override, where, value):
    found = read_recipe(recipe, [override])
    for name in where.split("."):
        found = getattr(found, name)
    assert found == value


def test_set_reaches_into_lists_and_later_ones_win(recipe):
    read = read_recipe(recipe, ["data.corpora.0.weight=3", "data.corpora.0.weight=4", "model.dropout=0.5"])
    assert read.data.corpora[0].weight == 4.0
    assert read.model.changes["dropout"] == 0.5


@pytest.mark.parametrize(
    ("override", "sentence"),
    [
        ("training.seed", "expected table.key=value"),
        ("=3", "expected table.key=value"),
        ("training..seed=3", "expected table.key=value"),
        ("seed=3", "did you mean training.seed?"),
        ("dropout_of_things=3", "where the table is one of data, tokenizer, model, training, validation"),
        ("trainig.seed=3", "there is no table 'trainig'; did you mean 'training'?"),
        ("training.sed=3", "unknown key 'sed' in [training]: did you mean 'seed'?"),
        ("data.corpora.1.weight=3", "data.corpora is a list of 1: expected a number from 0 on"),
        ("data.corpora.-1.weight=3", "data.corpora is a list of 1"),
        ("data.corpora.x=3", "data.corpora is a list of 1"),
        ("data.corpora.٣.weight=3", "data.corpora is a list of 1"),
        ("training.seed.x=3", "training.seed is 1 and holds no keys"),
        ("training.seed.x.y=3", "training.seed is 1 and holds no keys"),
        ("data.corpora.0.wait=3", "unknown key 'wait' in [data.corpora.0]: did you mean 'weight'?"),
        ("model.drop_out=0.1", "unknown key 'drop_out' in [model]: did you mean 'dropout'?"),
    ],
)
def test_set_wrongly(recipe, override, sentence):
    assert sentence in complaint(recipe, override)


def test_a_wrong_command_line_is_wrong_usage(recipe):
    with pytest.raises(UsageError):
        read_recipe(recipe, ["training.seed"])


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ("languages =", "langauges =", "unknown key 'langauges' in [data]: did you mean 'languages'?"),
        ("[training]", "[traning]", "unknown key 'traning' in a recipe: did you mean 'training'?"),
        ("[data]", "[things]", "unknown key 'things' in a recipe: known keys: data, tokenizer"),
        ("max_steps", "max_step", "unknown key 'max_step' in [training]: did you mean 'max_steps'?"),
        ("\nevery = 500", "\nevry = 500", "unknown key 'evry' in [validation]: did you mean 'every'?"),
        ("vocab_size = 16000", "vocabsize = 16000", "did you mean 'vocab_size'?"),
        ('"small"', '"smal"', "there is no preset 'smal'; did you mean 'small'?"),
        ("dropout = 0.2", "num_layers = 3", "unknown key 'num_layers' in [model]: did you mean"),
        ("dropout = 0.2", "dropout = 2", "dropout in TransformerConfig is 2: expected a number in [0, 1)"),
        ("dropout = 0.2", 'dropout = "much"', "dropout in TransformerConfig is 'much'"),
        ("dropout = 0.2", "vocab_size = 5", "vocab_size in [model]: the tokenizer decides it"),
        ("dropout = 0.2", 'family = "lstm"', "more than one of preset, family and init_from"),
        ('preset = "small"', 'family = "transfomer"', "family in [model] is 'transfomer': expected one of transformer"),
        ('kind = "bpe"', 'kind = "bqe"', "kind in [tokenizer] is 'bqe': expected one of bpe, unigram"),
        ('kind = "bpe"', "bpe_dropout = 1.5", "bpe_dropout = 1.5"),
        ('kind = "bpe"', 'kind = "char"\nbpe_dropout = 0.1', "expected kind = bpe"),
        ("vocab_size = 16000", "vocab_size = 0", "vocab_size = 0"),
        ("seed = 1", "seed = 1.5", "seed in [training] is 1.5: expected a whole number"),
        ("seed = 1", "seed = -1", "seed = -1 in [training]"),
        ("max_steps = 20000", "max_steps = true", "max_steps in [training] is True: expected a whole number"),
        ("seed = 1", "learning_rate = nan", "learning_rate in [training] is nan: expected a number"),
        ("weight = 2.0", "weight = 0", "[data.corpora.0]: weight = 0.0"),
        ("weight = 2.0", "longest = 3", "longest of a corpus is for synthetic words"),
        ("weight = 2.0", 'task = "copy"', "expected exactly one of the four"),
        ("weight = 2.0", 'source = "x"', "expected exactly one of the four"),
        ("weight = 2.0", 'languages = ["zh", "fr"]', "a corpus is of 'fr': expected one of the languages zh, en"),
        ("weight = 2.0", 'languages = ["zh"]', "languages in [data.corpora.0] is ['zh']: expected a list of 2 values"),
        ("weight = 2.0", 'languages = ["zh", "zh"]', "expected two different languages"),
        ('["zh", "en"]', '["zh", "en", "fr"]', "a corpus does not say its languages: with 3 of them"),
        ('["zh", "en"]', '["zh", "zh"]', "none of them twice"),
        ('["zh", "en"]', '["zh", "English"]', "the language 'English': expected a code such as"),
        ('["zh-en", "en-zh"]', '["zh-fr"]', "the direction 'zh-fr' is not SOURCE-TARGET"),
        ('["zh-en", "en-zh"]', '["zh-zh"]', "the direction 'zh-zh' goes from a language to itself"),
        ('["zh-en", "en-zh"]', '["zh-en", "zh-en"]', "none twice"),
        ('["zh-en", "en-zh"]', "[]", "expected at least one"),
        ('"zh-en/tatoeba.dev.tsv"', '["zh-en/tatoeba.dev.tsv", "b"]', "validation names 2 files: expected one"),
        ("validation =", "held_out = 0.7\nvalidation =", "held_out = 0.7: expected a share above 0 and at most 0.5"),
        ("validation =", "filters = { max_length = 0 }\nvalidation =", "[data.filters]: max_length = 0"),
        ("[[data.corpora]]", "[data.corpora]", "expected a list of values, each a table"),
        ("[tokenizer]", "[[tokenizer]]", "[tokenizer] is [{"),
        ("[model]", "[[model]]", "[model] is [{"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said_with_the_place(recipe, old, new, sentence):
    assert old in CONTRACT
    recipe.write_text(CONTRACT.replace(old, new, 1), encoding="utf-8")
    assert sentence in complaint(recipe)
    assert str(recipe) in complaint(recipe)


def test_a_direction_needs_a_corpus_and_a_corpus_a_direction(tmp_path):
    data = {
        "languages": ["zh", "en", "de"],
        "directions": ["zh-en", "de-en"],
        "corpora": [{"file": "a", "languages": ["zh", "en"]}],
    }
    with pytest.raises(ConfigError, match="'de-en' has no corpus of de and en to learn from"):
        recipe_from_dict({"data": data})
    data["corpora"].append({"file": "b", "languages": ["de", "en"]})
    data["corpora"].append({"file": "c", "languages": ["en", "de"]})
    made = recipe_from_dict({"data": data}).data
    assert made.language_pairs() == [("zh", "en"), ("de", "en")]
    data["corpora"].append({"file": "c", "languages": ["zh", "de"]})
    with pytest.raises(ConfigError, match="corpus 3 is of de and zh: no direction uses it"):
        recipe_from_dict({"data": data})
    with pytest.raises(ConfigError, match="at least one"):
        recipe_from_dict({"data": data | {"corpora": []}})


def test_a_corpus_may_serve_one_direction_alone():
    there = {"file": "a", "languages": ["zh", "en"], "one_way": True}
    back = {"file": "b", "languages": ["en", "zh"], "one_way": True}
    data = {"languages": ["zh", "en"], "directions": ["zh-en", "en-zh"]}
    recipe_from_dict({"data": data | {"corpora": [there, back]}})
    with pytest.raises(ConfigError, match="'en-zh' has no corpus of en and zh to learn from"):
        recipe_from_dict({"data": data | {"corpora": [there]}})
    with pytest.raises(ConfigError, match="corpus 1 is for en-zh alone: no direction uses it"):
        recipe_from_dict({"data": data | {"directions": ["zh-en"], "corpora": [there, back]}})
    with pytest.raises(ConfigError, match="needs a table"):
        recipe_from_dict({})


def test_a_model_that_goes_on_keeps_its_shape(recipe, tmp_path):
    touch(tmp_path / "model" / "config.json")
    text = CONTRACT.replace('preset = "small"', 'init_from = "model"')
    recipe.write_text(text, encoding="utf-8")
    assert read_recipe(recipe).model.init_from == str(tmp_path / "model")
    assert read_recipe(recipe).model.changes == {"dropout": 0.2}
    recipe.write_text(text.replace("dropout = 0.2", "d_model = 64"), encoding="utf-8")
    assert "'d_model' in [model] with init_from: a model that is trained on keeps its shape" in complaint(recipe)


def test_a_ready_tokenizer_brings_its_own_size(recipe, tmp_path):
    touch(tmp_path / "tokenizer.json")
    text = CONTRACT.replace('kind = "bpe"', 'file = "tokenizer.json"')
    recipe.write_text(text, encoding="utf-8")
    read = read_recipe(recipe)  # 16,000 is the default, so it says nothing
    assert read.tokenizer.file == str(tmp_path / "tokenizer.json")
    recipe.write_text(text.replace("16000", "8000"), encoding="utf-8")
    assert "vocab_size stands beside file" in complaint(recipe)


def test_beside_the_recipe_comes_before_the_folder_of_data(recipe, tmp_path, monkeypatch):
    beside = tmp_path / "zh-en/tatoeba.dev.tsv"
    touch(beside)
    assert read_recipe(recipe).data.validation == (str(beside),)
    beside.unlink()
    (tmp_path / "data/zh-en/tatoeba.dev.tsv").unlink()
    output = complaint(recipe)
    assert f"it is in none of {tmp_path}, {Path.cwd()}, {tmp_path / 'data'} (the last is $ATTENDO_DATA)" in output
    assert "validation in [data] is 'zh-en/tatoeba.dev.tsv'" in output
    assert "there is no such file" in complaint(recipe, f"data.validation={tmp_path}/none.tsv")
    assert "there is no such file" in complaint(recipe, f"data.validation=/{'x' * 5000}")
    assert "in none of" in complaint(recipe, 'data.validation="a\\u0000b"')
    monkeypatch.delenv("ATTENDO_DATA")
    monkeypatch.chdir(tmp_path)
    touch(tmp_path / "data/zh-en/tatoeba.dev.tsv")
    assert read_recipe(Path("recipe.toml")).data.validation == (str(tmp_path / "data/zh-en/tatoeba.dev.tsv"),)


def test_a_file_that_is_set_may_lie_where_one_is(recipe, tmp_path, monkeypatch):
    here = tmp_path / "elsewhere"
    touch(here / "mine.tsv")
    monkeypatch.chdir(here)
    read = read_recipe(recipe, ["data.corpora.0.file=mine.tsv"])
    assert read.data.corpora[0].file == str(here / "mine.tsv")
    touch(tmp_path / "mine.tsv")  # beside the recipe comes first
    assert read_recipe(recipe, ["data.corpora.0.file=mine.tsv"]).data.corpora[0].file == str(tmp_path / "mine.tsv")


@pytest.mark.parametrize(
    "languages", ["data.languages=de,en", "data.languages = de, en", 'data.languages=["de", "en"]']
)
def test_languages_are_set_without_brackets(recipe, languages):
    read = read_recipe(recipe, [languages, "data.directions=de-en"])
    assert (read.data.languages, read.data.directions) == (("de", "en"), ("de-en",))


def test_a_name_that_toml_cannot_say(recipe, tmp_path, monkeypatch):
    folder = tmp_path / "\udcff"
    folder.mkdir()
    touch(folder / "zh-en/tatoeba.dev.tsv", folder / "zh-en/tatoeba.train.tsv.xz")
    monkeypatch.setenv("ATTENDO_DATA", str(folder))
    (tmp_path / "data/zh-en/tatoeba.dev.tsv").unlink()
    assert "not UTF-8" in complaint(recipe)


def test_what_is_read_can_be_written_and_read_again(recipe, tmp_path):
    read = read_recipe(recipe, ["data.filters.max_length=false"])
    again = tmp_path / "elsewhere" / "again.toml"
    again.parent.mkdir()
    again.write_text(recipe_to_toml(read), encoding="utf-8")
    assert read_recipe(again) == read


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"[data\n", "line 1"),
        (b"[data]\nlanguages = [\n", "is not TOML"),
        (b"[data]\nx = \xff\n", "line 2: a byte that is not UTF-8"),
        (b"x = 1\nx = 2\n", "is not TOML"),
        (b"x = " + b"1" * 5000, "line 1 has 5,004 bytes: expected at most 2,000"),
        (b"x = [\n" + b"[\n" * 20_000, "nested too deeply"),
        (b"x = " + b"{a=" * 600, "nested too deeply"),
        (b"a" + b".a" * 30_000 + b" = 1\n", "line 1 has 60,005 bytes"),
        (b"".join(b"[%d" % n + b".a" * 995 + b"]\n" for n in range(32)), "unknown key '0' in a recipe"),
        (b"".join(b"k%d" % n + b".a" * 990 + b" = 1\n" for n in range(32)), "unknown key 'k0' in a recipe"),
        (b"#" * (LARGEST_FILE + 1), "is too large: expected at most"),
        (b"", "a recipe needs a table [data]"),
        (b"data = 3\n", "[data] is 3: expected a table"),
        (b"data = {}\n", "languages is missing in [data]: expected a list of values, each a text"),
        (b"\0", "is not TOML"),
    ],
)
def test_hostile_files_are_one_sentence(tmp_path, content, sentence):
    path = tmp_path / "recipe.toml"
    path.write_bytes(content)
    started = time.monotonic()
    assert sentence in complaint(path)
    assert time.monotonic() - started < 5


def test_what_is_no_file(tmp_path):
    assert "Is a directory" in complaint(tmp_path)
    assert "No such file" in complaint(tmp_path / "none.toml")
    assert "cannot read" in complaint(Path("a\0b"))
    assert "too large" in complaint(Path("/dev/zero"))


def test_damaged_recipes_are_read_or_refused(recipe, evidence):
    """Letters changed, cut out and put in; whole lines moved: nothing but our own errors comes out."""
    draw, path = random.Random(1), recipe.with_name("damaged.toml")
    refused = 0
    for _ in range(400):
        letters = list(CONTRACT)
        for _ in range(draw.randrange(1, 4)):
            place = draw.randrange(len(letters))
            match draw.randrange(4):
                case 0:
                    letters[place] = draw.choice(string.printable + "\0é\x7f")
                case 1:
                    del letters[place : place + draw.randrange(1, 30)]
                case 2:
                    letters[place:place] = draw.choice(
                        ["= ", "[[", "]\n", '"', "nan", "1e999", "-", "{}", "data", "\n"]
                    )
                case 3:
                    lines = "".join(letters).split("\n")
                    draw.shuffle(lines)
                    letters = list("\n".join(lines))
        path.write_text("".join(letters), encoding="utf-8")
        try:
            read_recipe(path)
        except AttendoError as error:
            refused += 1
            output = str(error)
            if "\n" in output or len(output) > 800:
                raise AssertionError(output) from error
    assert refused > 200
    evidence("F4", "damaged recipes that gave anything but a recipe or one sentence", "0 of 400")
