"""A recipe written and read again is the same recipe, whatever it holds."""

import tomllib
from dataclasses import fields

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from attendo.data.filters import FilterConfig
from attendo.data.prepare.settings import CorpusConfig, DataConfig, TokenizerSettings
from attendo.model.config import FAMILIES
from attendo.model.presets import PRESETS
from attendo.recipe.recipe import ModelSettings, Recipe, recipe_from_dict
from attendo.recipe.write import quoted, recipe_to_toml
from attendo.training.config import TrainingConfig, ValidationConfig

texts = st.text(max_size=12)  # all of Unicode but halves of surrogate pairs, which TOML cannot say
counts = st.integers(1, 2**40)
shares = st.floats(0.0, 0.99)
languages = st.sampled_from([("zh", "en"), ("pt-BR", "en"), ("abc", "cba")])

corpora = st.one_of(
    st.builds(CorpusConfig, file=texts, weight=st.floats(0.001, 1000.0)),
    st.builds(CorpusConfig, source=texts, target=texts),
    st.builds(
        CorpusConfig,
        task=st.sampled_from(["copy", "reverse"]),
        pairs=st.integers(1, 10**6),
        shortest=st.integers(1, 5),
        longest=st.integers(5, 50),
        letters=st.integers(1, 26),
        seed=st.integers(0, 2**62),
    ),
)
filters = st.builds(
    FilterConfig,
    max_length=st.none() | st.integers(1, 10**6),
    max_ratio=st.none() | st.floats(1.0, 1e300),
    language=st.booleans(),
    duplicates=st.booleans(),
)
tokenizers = st.one_of(
    st.builds(TokenizerSettings, vocab_size=st.integers(1, 10**6), bpe_dropout=shares),
    st.builds(TokenizerSettings, kind=st.sampled_from(["char", "word", "unigram"])),
    st.builds(TokenizerSettings, file=texts),
)
dropouts = st.dictionaries(st.just("dropout"), shares)
models = st.one_of(
    st.builds(ModelSettings, preset=st.sampled_from(PRESETS), changes=dropouts),
    st.builds(ModelSettings, family=st.sampled_from([*FAMILIES]), changes=dropouts),
    st.builds(ModelSettings, init_from=texts, changes=dropouts),
    st.just(ModelSettings(preset="tiny", changes={"bias": False, "positions": "learned", "d_ff": 7})),
)
trainings = st.builds(
    TrainingConfig,
    seed=st.integers(0, 2**62),
    max_steps=counts,
    learning_rate=st.floats(5e-324, 1e308),
    label_smoothing=shares,
    device=texts,
    precision=st.sampled_from(["auto", "float32"]),
    tensorboard=st.booleans(),
)


@st.composite
def recipes(draw):
    both = draw(languages)
    drawn = draw(st.lists(corpora, min_size=1, max_size=3))
    data = DataConfig(
        languages=both,
        directions=draw(st.sampled_from([("-".join(both),), ("-".join(both), "-".join(reversed(both)))])),
        corpora=tuple(drawn),
        validation=draw(st.none() | texts | st.tuples(texts)),
        held_out=draw(st.floats(1e-6, 0.5)),
        filters=draw(filters),
    )
    validation = ValidationConfig(every=draw(counts), metric=draw(st.sampled_from(["loss", "bleu", "exact"])))
    return Recipe(
        data=data, tokenizer=draw(tokenizers), model=draw(models), training=draw(trainings), validation=validation
    )


@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(recipes())
def test_reading_what_was_written_gives_the_same(recipe):
    assert recipe_from_dict(tomllib.loads(recipe_to_toml(recipe))) == recipe


@given(st.text())
def test_any_text_can_be_quoted(text):
    assert tomllib.loads(f"x = {quoted(text)}") == {"x": text}


@pytest.mark.parametrize("text", ["".join(map(chr, range(0x100))), '"""', "\\u0041", "\r\n", "\ufeff\u2028\x85"])
def test_texts_that_toml_is_touchy_about(text):
    assert tomllib.loads(f"x = {quoted(text)}") == {"x": text}


def test_nothing_is_left_out():
    """What a run's folder shows names every setting there is, save those that are off or say nothing here."""
    corpus = CorpusConfig(file="a.tsv", languages=("zh", "en"))
    data = DataConfig(languages=("zh", "en"), directions=("zh-en",), corpora=(corpus,))
    table = tomllib.loads(recipe_to_toml(Recipe(data=data)))
    assert table["training"].keys() == {field.name for field in fields(TrainingConfig)}
    assert table["validation"].keys() == {field.name for field in fields(ValidationConfig)}
    assert table["tokenizer"].keys() == {"kind", "vocab_size", "bpe_dropout"}
    assert table["data"]["corpora"] == [{"file": "a.tsv", "languages": ["zh", "en"], "weight": 1.0, "one_way": False}]
    assert table["data"]["filters"] == {"max_length": 250, "language": False, "duplicates": False}


def test_long_lists_stay_readable():
    names = tuple(f"corpus-{number}.tsv" * 5 for number in range(3))
    pairs = (("zh", "en"), ("zh", "de"), ("en", "de"))
    data = DataConfig(
        languages=("zh", "en", "de"),
        directions=("zh-en", "zh-de", "en-de"),
        corpora=tuple(CorpusConfig(file="a", languages=pair) for pair in pairs),
        validation=names,
    )
    text = recipe_to_toml(Recipe(data=data))
    assert max(map(len, text.split("\n"))) < 120
    assert recipe_from_dict(tomllib.loads(text)).data.validation == names
