"""What a recipe says, a dataclass a table, checked against each other before any work starts."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from attendo.data.prepare.settings import DataConfig, TokenizerSettings
from attendo.errors import ConfigError, UsageError
from attendo.files.tables import from_dict, short_repr, unknown_key
from attendo.model.config import FAMILIES, ModelConfig, in_family
from attendo.model.earlier_names import in_todays_words
from attendo.model.presets import PAPER_VOCABULARY, preset
from attendo.training.config import TrainingConfig, ValidationConfig

AT_ONCE = "non-autoregressive"


@dataclass(frozen=True, kw_only=True)
class ModelSettings:
    """Which model: a `preset`, a `family` or a model to train on from (`init_from`), and what of it to change.

    The family "non-autoregressive" may also stand beside one of the others: then its sizes, or also its first weights,
    are those of that Transformer.
    """

    preset: str | None = None
    family: str | None = None
    init_from: str | None = None
    changes: Mapping[str, Any] = field(default_factory=dict)  # fields of the model's configuration

    def __post_init__(self) -> None:
        alone = self.family if self.family != AT_ONCE else None
        if [self.preset, alone, self.init_from].count(None) < 2:
            raise ConfigError("[model] has more than one of preset, family and init_from: expected one")
        if self.family is not None and self.family not in FAMILIES:
            raise ConfigError(f"family in [model] is {short_repr(self.family)}: expected one of {', '.join(FAMILIES)}")
        if "vocab_size" in self.changes:
            raise ConfigError("vocab_size in [model]: the tokenizer decides it, expected it in [tokenizer]")
        if self.init_from is None:
            self.config(PAPER_VOCABULARY)
            return
        for name in self.changes:
            if not name.endswith("dropout"):
                raise ConfigError(
                    f"{short_repr(name)} in [model] with init_from: a model that is trained on keeps its shape; "
                    f"only dropout, attention_dropout and activation_dropout can change"
                )

    @classmethod
    def from_dict(cls, table: object) -> "ModelSettings":
        """What is not the name of a model is a change to it."""
        if not isinstance(table, dict):
            raise ConfigError(f"[model] is {short_repr(table)}: expected a table")
        table = in_todays_words(table)
        own = {"preset", "family", "init_from"}
        named = from_dict(Named, {key: value for key, value in table.items() if key in own}, "[model]")
        changes = {key: value for key, value in table.items() if key not in own}
        return cls(preset=named.preset, family=named.family, init_from=named.init_from, changes=changes)

    def config(self, vocab_size: int) -> ModelConfig:
        """Of a model that starts from nothing; without a name it is the paper's base."""
        if self.family is not None and self.preset is None:
            return self.changed(FAMILIES[self.family](vocab_size=vocab_size))
        try:
            start = preset("base" if self.preset is None else self.preset, vocab_size)
        except UsageError as error:
            raise ConfigError(f"[model]: {error}") from error
        return self.changed(start)

    def changed(self, config: ModelConfig) -> ModelConfig:
        if self.family is not None:
            config = in_family(config, self.family)
        known = [field.name for field in fields(config) if field.name != "vocab_size"]
        for name in self.changes:
            if name not in known:
                raise unknown_key(name, [*known, "preset", "family", "init_from"], "[model]")
        try:
            return replace(config, **self.changes)
        except ConfigError as error:
            raise ConfigError(f"[model]: {error}") from error


@dataclass(frozen=True)
class Named:
    """The keys of [model] that name one."""

    preset: str | None = None
    family: str | None = None
    init_from: str | None = None


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """Everything a training needs to know; the same recipe and files give the same model."""

    data: DataConfig
    tokenizer: TokenizerSettings = field(default_factory=TokenizerSettings)
    model: ModelSettings = field(default_factory=ModelSettings)
    training: TrainingConfig = field(default_factory=TrainingConfig)
    validation: ValidationConfig = field(default_factory=ValidationConfig)

    def files(self) -> list[str]:
        """All files and folders that are read: corpora, validation, tokenizer, the model to train on from."""
        corpora = [
            name for corpus in self.data.corpora for name in (corpus.file, corpus.source, corpus.target, corpus.text)
        ]
        return [
            name
            for name in (*corpora, *self.data.validation_files(), self.tokenizer.file, self.model.init_from)
            if name
        ]


TABLES = tuple(field.name for field in fields(Recipe))


def recipe_from_dict(table: Mapping[str, object]) -> Recipe:
    """A recipe from what its file holds; paths are as they stand there."""
    for name in table:
        if name not in TABLES:
            raise unknown_key(name, TABLES, "a recipe")
    if "data" not in table:
        raise ConfigError("a recipe needs a table [data] with languages, directions and corpora")
    return Recipe(
        data=from_dict(DataConfig, table["data"], "[data]"),
        tokenizer=from_dict(TokenizerSettings, table.get("tokenizer", {}), "[tokenizer]"),
        model=ModelSettings.from_dict(table.get("model", {})),
        training=from_dict(TrainingConfig, table.get("training", {}), "[training]"),
        validation=from_dict(ValidationConfig, table.get("validation", {}), "[validation]"),
    )
