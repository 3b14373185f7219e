"""A recipe from its file: TOML, what the command line sets on top, and paths that point to something."""

import os
import tomllib
from collections.abc import Sequence
from dataclasses import asdict, fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from attendo.data.prepare.settings import CorpusConfig, DataConfig
from attendo.errors import ConfigError, UsageError
from attendo.files.tables import read_small_file, short_repr
from attendo.model_folder.bundle import known_models
from attendo.recipe.recipe import TABLES, ModelSettings, Recipe, recipe_from_dict

LARGEST_FILE = 65_536  # bytes; a recipe has a few thousand
LISTS_OF_WORDS = ("data.languages", "data.directions")  # --set data.languages=de,en needs no brackets and quotes
LONGEST_LINE = 2_000  # bytes; tomllib needs minutes for a key of 50,000 parts, a.a.a.a…


def read_recipe(path: Path, overrides: Sequence[str] = ()) -> Recipe:
    """The recipe with all paths found and all defaults filled in; `overrides` are such as training.seed=2."""
    table = read_toml(path)
    for override in overrides:
        set_value(table, override)
    try:
        return resolve_recipe(recipe_from_dict(table), path.absolute().parent)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from error


def read_toml(path: Path) -> dict[str, Any]:
    raw = read_small_file(path, LARGEST_FILE, error=ConfigError)
    for line_number, line in enumerate(raw.split(b"\n"), start=1):
        if len(line) > LONGEST_LINE:
            raise ConfigError(f"{path}, line {line_number} has {len(line):,} bytes: expected at most {LONGEST_LINE:,}")
    try:
        return tomllib.loads(raw.decode("utf-8"))
    except UnicodeDecodeError as error:
        line_number = raw.count(b"\n", 0, error.start) + 1
        raise ConfigError(f"{path}, line {line_number}: a byte that is not UTF-8") from error
    except (ValueError, RecursionError) as error:  # TOMLDecodeError is a ValueError, and so is a number of 5,000 digits
        reason = str(error).split("\n")[0][:200] if isinstance(error, ValueError) else "it is nested too deeply"
        raise ConfigError(f"{path} is not TOML: {reason}") from error


def set_value(table: dict[str, Any], override: str) -> None:
    """Set one value: training.seed=2, data.corpora.0.weight=3, data.languages=de,en."""
    name, equals, text = override.partition("=")
    keys = [key.strip() for key in name.split(".")]
    if not equals or not all(keys):
        raise UsageError(f"--set {short_repr(override)}: expected table.key=value, such as training.seed=2")
    if len(keys) == 1 or keys[0] not in TABLES:
        raise UsageError(f"--set {short_repr(override)}: {hint(keys)}")
    value = value_of(text)
    if isinstance(value, str) and ".".join(keys) in LISTS_OF_WORDS:
        value = [word.strip() for word in value.split(",")]
    node: Any = table
    for depth, key in enumerate(keys[:-1]):
        node = step_into(node, key, ".".join(keys[:depth]), override)
    if isinstance(node, list):
        node[index_of(node, keys[-1], ".".join(keys[:-1]), override)] = value
    elif isinstance(node, dict):
        node[keys[-1]] = value
    else:
        raise UsageError(f"--set {short_repr(override)}: {'.'.join(keys[:-1])} is {short_repr(node)} and holds no keys")


def step_into(node: Any, key: str, before: str, override: str) -> Any:
    if isinstance(node, list):
        return node[index_of(node, key, before, override)]
    if isinstance(node, dict):
        return node.setdefault(key, {})
    raise UsageError(f"--set {short_repr(override)}: {before} is {short_repr(node)} and holds no keys")


def index_of(entries: list[Any], key: str, before: str, override: str) -> int:
    if not (key.isascii() and key.isdigit() and len(key) < 10 and int(key) < len(entries)):
        raise UsageError(
            f"--set {short_repr(override)}: {before} is a list of {len(entries)}: expected a number from 0 on, "
            f"such as {before}.0"
        )
    return int(key)


def hint(keys: list[str]) -> str:
    """For a table that is not there, or a key without one."""
    homes = [f"{name}.{keys[0]}" for name, kind in kinds().items() if keys[0] in {field.name for field in fields(kind)}]
    if len(keys) == 1 and homes:
        return f"did you mean {' or '.join(homes)}?"
    nearest = get_close_matches(keys[0], TABLES, n=1)
    if nearest and len(keys) > 1:
        return f"there is no table {short_repr(keys[0])}; did you mean '{nearest[0]}'?"
    return f"expected table.key=value, where the table is one of {', '.join(TABLES)}"


def kinds() -> dict[str, Any]:
    return {field.name: field.type for field in fields(Recipe)}


def value_of(text: str) -> object:
    """As TOML would read it; what it cannot read is a text: --set training.device=cuda needs no quotes."""
    try:
        table = tomllib.loads(f"value = {text}")
    except (ValueError, RecursionError):
        return text
    return table["value"] if len(table) == 1 else text  # a line feed in it could begin another key


def resolve_recipe(recipe: Recipe, beside: Path) -> Recipe:
    tokenizer = replace(recipe.tokenizer, file=find_if_named(recipe.tokenizer.file, beside, "file in [tokenizer]"))
    return replace(
        recipe,
        data=resolve_data(recipe.data, beside),
        tokenizer=tokenizer,
        model=resolve_model(recipe.model, beside),
    )


def resolve_data(data: DataConfig, beside: Path) -> DataConfig:
    def resolve_corpus(index: int, corpus: CorpusConfig) -> CorpusConfig:
        where = f"[data.corpora.{index}]"
        paths = {
            name: find_if_named(getattr(corpus, name), beside, f"{name} in {where}")
            for name in ("file", "source", "target", "text")
        }
        if corpus.text is not None:
            return replace(corpus, language=data.language_of_text(corpus), **paths)  # type: ignore[arg-type]
        return replace(corpus, languages=data.languages_of(corpus), **paths)  # type: ignore[arg-type]

    files = tuple(find_file(file, beside, "validation in [data]") for file in data.validation_files())
    corpora = tuple(resolve_corpus(index, corpus) for index, corpus in enumerate(data.corpora))
    return replace(data, corpora=corpora, validation=files or None)


def resolve_model(model: ModelSettings, beside: Path) -> ModelSettings:
    """With every field of the model, so that the recipe says it all even where a preset changes one day."""
    if model.init_from is not None:
        return replace(model, init_from=find_model(model.init_from, beside))
    named = model.preset is not None or model.family is not None
    settings = asdict(model.config(vocab_size=1000))
    del settings["vocab_size"]
    return replace(model, preset=model.preset if named else "base", changes=settings)


def find_model(name: str, beside: Path) -> str:
    """A model that came with the package, by its name; else a folder."""
    shipped = {folder.name: str(folder) for folder in known_models()}
    return shipped[name] if name in shipped else find_file(name, beside, "init_from in [model]")


def find_if_named(path: str | None, beside: Path, what: str) -> str | None:
    return None if path is None else find_file(path, beside, what)


def find_file(path: str, beside: Path, what: str) -> str:
    """The path in full: as it is, or beside the recipe, or from where one is (--set names it there), or in the data."""
    data = Path(os.environ.get("ATTENDO_DATA") or "data").absolute()
    folders = list(dict.fromkeys([beside, Path().absolute(), data]))
    candidates = [Path(path)] if Path(path).is_absolute() else [folder / path for folder in folders]
    for candidate in candidates:
        if exists(candidate):
            return check_writable(str(candidate), what)
    if len(candidates) == 1:
        raise ConfigError(f"{what} is {short_repr(path)}: there is no such file")
    looked = ", ".join(map(str, folders))
    raise ConfigError(f"{what} is {short_repr(path)}: it is in none of {looked} (the last is $ATTENDO_DATA)")


def check_writable(path: str, what: str) -> str:
    """A resolved recipe is TOML again, and TOML is UTF-8; a file's name can be any bytes."""
    try:
        path.encode()
    except UnicodeEncodeError:
        raise ConfigError(f"{what} is {short_repr(path)}: the name is not UTF-8, which a recipe cannot write") from None
    return path


def exists(path: Path) -> bool:
    try:
        return path.exists()
    except (OSError, ValueError):  # a name of 5,000 letters, a folder that may not be looked into
        return False
