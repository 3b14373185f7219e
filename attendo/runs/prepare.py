"""From a recipe to what a training needs: tokenizer, sizes of the model, encoded pairs."""

import json
from dataclasses import dataclass
from pathlib import Path

from attendo.data.batches import WeightedCorpus
from attendo.data.filters import FilterCounts
from attendo.data.prepare.datasets import OnProgress, Preparation, ValidationSet, corpus_of, no_progress
from attendo.data.prepare.settings import DataConfig
from attendo.data.prepare.tokenizer import choose_tokenizer, digest
from attendo.errors import ConfigError
from attendo.model.config import (
    DecoderOnlyConfig,
    EncoderOnlyConfig,
    ModelConfig,
    NonAutoregressiveConfig,
    RecurrentConfig,
    config_from_dict,
    config_to_dict,
)
from attendo.model_folder.bundle import Bundle, read_bundle
from attendo.recipe.recipe import Recipe
from attendo.text.tokenizer import Tokenizer
from attendo.training.fingerprint import facts_of_model

SOME_VOCABULARY = 1_000  # for the family of a model, which does not hang on it


@dataclass(frozen=True)
class Prepared:
    tokenizer: Tokenizer
    model: ModelConfig
    corpora: list[WeightedCorpus]  # to train on
    validation: list[ValidationSet]  # one a direction, or of plain text one a language
    made_of: dict[str, str]  # what must be the same for a run to be resumed
    counts: list[tuple[str, FilterCounts]]  # what became of the pairs of each corpus
    stand_ins: bool = False  # the model that is trained on knows {1}, {2} …


def prepare(recipe: Recipe, cache: Path, on_progress: OnProgress = no_progress) -> Prepared:
    """What took long is kept in the folder `cache`. A model that does not fit is an error before anything is read."""
    data = recipe.data
    bundle = None if recipe.model.init_from is None else read_bundle(Path(recipe.model.init_from))
    if data.is_text:
        check_reads_text(recipe.model.config(SOME_VOCABULARY) if bundle is None else config_from_dict(bundle.model))
    raw = [corpus_of(config, data.languages_of(config)) for config in data.corpora]
    own = bundle.tokenizer() if bundle else None
    tokenizer = choose_tokenizer(recipe.tokenizer, data.languages, raw, cache / "tokenizers", own)
    if bundle and own and digest(tokenizer) != digest(own):
        raise ConfigError(
            f"{recipe.tokenizer.file} is not the tokenizer of {bundle.folder}: a model that is trained on keeps its "
            f"own, so leave out file in [tokenizer]"
        )
    model = model_config(recipe, bundle, tokenizer)
    dropout, max_pairs = recipe.tokenizer.bpe_dropout, recipe.validation.max_pairs
    datasets = Preparation(data, tokenizer, cache / "encoded", dropout, max_pairs, on_progress).datasets()
    made_of = datasets.identity | {"tokenizer": digest(tokenizer), "tokenizer.bpe_dropout": json.dumps(dropout)}
    made_of |= facts_of_model(model)
    if bundle is not None:
        made_of["model.init_from"] = bundle.key
    stand_ins = bundle is not None and bundle.stand_ins
    return Prepared(tokenizer, model, datasets.corpora, datasets.validation, made_of, datasets.counts, stand_ins)


def model_config(recipe: Recipe, bundle: Bundle | None, tokenizer: Tokenizer) -> ModelConfig:
    if bundle is None:
        config = recipe.model.config(tokenizer.vocab_size)
    else:
        config = recipe.model.changed(config_from_dict(bundle.model))
    check_room(config, recipe.data)
    check_metric(config, recipe.validation.metric, recipe.data.is_text)
    if isinstance(config, NonAutoregressiveConfig) and recipe.training.r_drop:
        raise ConfigError(
            f"r_drop = {recipe.training.r_drop} in [training]: a non-autoregressive model is taught by hidden words, "
            f"others in each of two passes, so there is nothing to agree on: expected r_drop = 0"
        )
    return config


def check_reads_text(config: ModelConfig) -> None:
    if not isinstance(config, DecoderOnlyConfig | EncoderOnlyConfig):
        family = config_to_dict(config)["family"]
        raise ConfigError(
            f"[data] is plain text, and a {family} model learns pairs: expected family decoder-only or encoder-only, "
            f"or corpora with a source and a target"
        )


def check_room(config: ModelConfig, data: DataConfig) -> None:
    """A learned table of positions has an end, and a sentence beyond it would stop the run in the middle."""
    if isinstance(config, RecurrentConfig) or config.positions != "learned":
        return
    longest = data.filters.max_length
    in_a_row = isinstance(config, DecoderOnlyConfig) and not data.is_text
    control = 3 if in_a_row else 2  # a tag, </s> and, where both sides are in a row, <s>
    sides = 2 if in_a_row else 1
    if longest is None or sides * longest + control > config.max_length:
        needed = "any number" if longest is None else f"{sides * longest + control:,}"
        raise ConfigError(
            f"max_length = {config.max_length} in [model] is how many positions are learned, but a sentence may have "
            f"{needed}: expected max_length in [data.filters] of at most {(config.max_length - control) // sides}"
        )


def check_metric(config: ModelConfig, metric: str, is_text: bool) -> None:
    guesses = isinstance(config, EncoderOnlyConfig)
    if guesses and metric not in ("loss", "accuracy"):
        raise ConfigError(
            f"metric = {metric} in [validation]: an encoder-only model translates nothing, expected loss or accuracy"
        )
    if is_text and not guesses and metric != "loss":
        raise ConfigError(f"metric = {metric} in [validation]: a language model translates nothing, expected loss")
    if not guesses and metric == "accuracy":
        raise ConfigError("metric = accuracy in [validation] is for encoder-only models: expected another")
