"""attendo describe: a model in words, without allocating it."""

from pathlib import Path
from typing import Annotated, Any, Literal

import typer

from attendo.cli.help import INPUT_AND_OUTPUT, LANGUAGES_AND_MODEL
from attendo.cli.language import tr_of
from attendo.cli.terminal import print_json, print_result
from attendo.errors import InputError
from attendo.files.tables import read_json
from attendo.files.tensor_file import read_header
from attendo.model.config import ModelConfig, config_from_dict, config_to_dict
from attendo.model.presets import PRESETS, preset
from attendo.model_folder.storage import Storage, check_weights
from attendo.report.columns import num_columns, padded

PRESET_HELP = f"A preset ({', '.join(PRESETS)}), a model folder, or a configuration in a .json file."
PARTS = {
    "embeddings": "词嵌入",
    "positions": "位置编码",
    "attention": "注意力",
    "feed_forward": "前馈层",
    "recurrence": "循环层",
    "norms": "归一化",
    "output": "输出层",
}
LARGEST_FILE = 1_000_000  # bytes; a configuration has a few hundred


def describe(
    context: typer.Context,
    name: Annotated[str, typer.Argument(metavar="PRESET", help=PRESET_HELP)],
    vocab: Annotated[
        int | None,
        typer.Option(
            "--vocab",
            metavar="N",
            rich_help_panel=LANGUAGES_AND_MODEL,
            help="Vocabulary size, in tokens. By default that of the published model, or of the folder.",
        ),
    ] = None,
    names: Annotated[
        Literal["ours", "hf"],
        typer.Option(
            "--names",
            rich_help_panel=LANGUAGES_AND_MODEL,
            help="Whose names the tree has: attendo's, or those of Hugging Face's transformers, where the model has a "
            "counterpart there (Llama, BERT, Marian); that tree shows only modules with weights.",
        ),
    ] = "ours",
    as_json: Annotated[
        bool,
        typer.Option("--json", rich_help_panel=INPUT_AND_OUTPUT, help="Print one JSON object instead of text."),
    ] = False,
) -> None:
    """Show a model's tree of modules, their shapes and its parameters by part, without allocating its weights.

    Examples:
        # The base model of the paper
        attendo describe base --vocab 37000
        # A model that you trained
        attendo describe runs/mine/model
        # The number of parameters of Llama 7B, for a program
        attendo describe llama-7b --json
        # The same model under the names that Hugging Face's transformers prints
        attendo describe llama-7b --names hf
    """
    is_file = name.endswith(".json") or "/" in name
    path = Path(name) / "config.json" if is_file and Path(name).is_dir() else Path(name)
    config = read_config(path, vocab) if is_file else preset(name, vocab)
    from attendo.inspection.hugging_face import TIED, under_their_names

    theirs = under_their_names(config) if names == "hf" else None
    storage = storage_in(Path(name), read_config(path, None)) if is_file else None

    from attendo.inspection.structure import describe_model  # torch, after the arguments have proved good

    model = describe_model(config)
    if as_json:
        answer = {"name": name, "parameters": model.parameters, "by_part": model.by_part}
        answer |= {"feed_forward_share": model.feed_forward_share, "config": config_to_dict(config)}
        if storage is not None:
            answer["storage"] = storage
        if theirs is not None:
            weights = {name: shape for name, shape in theirs.shapes.items() if name not in theirs.tied}
            answer |= {"hugging_face": {"class": theirs.kind, "weights": weights}}
        print_json(answer)
        return
    tree = model.tree if theirs is None else theirs.tree()
    print_result(tree.replace(TIED, tr_of(context)(TIED, "# 与词嵌入共享")))
    tr = tr_of(context)
    head = (tr("part", "部分"), tr("parameters", "参数量"), tr("share", "占比"))
    counts = {
        tr(part.replace("_", "-"), PARTS.get(part, part)): count for part, count in model.by_part.items() if count
    }
    print_result("\n" + table_row(*head))
    for part, count in counts.items():
        print_result(table_row(part, f"{count:,}", f"{count / model.parameters:.1%}"))
    print_result(table_row(tr("in all", "合计"), f"{model.parameters:,}", "100%"))
    if storage is not None:
        print_result(tr(f"weights stored in {storage}", f"权重存为 {storage}"))


def storage_in(folder: Path, config: ModelConfig) -> Storage | None:
    """Of a model folder; a configuration alone stores nothing."""
    from attendo.model_folder.bundle import WEIGHTS  # libraries that --help does without

    path = folder / WEIGHTS
    return check_weights(path, read_header(path), config) if path.exists() else None


def table_row(part: str, parameters: str, share: str) -> str:
    right = [" " * (width - num_columns(text)) + text for text, width in ((parameters, 16), (share, 9))]
    return padded(part, 14) + "".join(right)


def read_config(path: Path, vocab: int | None) -> ModelConfig:
    """The `model` table of a model folder's config.json, or a file that holds just such a table."""
    table: Any = read_json(path, LARGEST_FILE)
    if isinstance(table, dict) and isinstance(table.get("model"), dict):
        table = table["model"]
    if not isinstance(table, dict):
        raise InputError(f"{path} holds {type(table).__name__}: expected an object with the model's configuration")
    return config_from_dict(table if vocab is None else {**table, "vocab_size": vocab})
