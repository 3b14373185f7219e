"""The one-way import rule: a file imports from its own folder and from what stands to its left; four bans besides."""

import ast
import subprocess
import sys

import pytest

from benchmarks.rooms import PACKAGE, RANK, imported_modules, room_and_file, source_files

# Inside model, parts never import wholes.
MODEL_ORDER = [
    {"config", "masks", "record", "attention", "positions", "norms", "feed_forward", "embeddings", "cache",
     "recurrence", "earlier_names"},
    {"additive_attention", "multi_head", "compatibility", "initialization"},
    {"parts", "source_attention"},
    {"add_and_norm"},
    {"encoder", "decoder"},
    {"transformer", "decoder_only", "encoder_only", "recurrent"},
    {"non_autoregressive"},  # made of a whole
    {"build", "presets", "shapes"},
]  # fmt: skip
MODEL_RANK = {name: index for index, names in enumerate(MODEL_ORDER) for name in names}

FORBIDDEN = {  # folder -> what it must not import besides
    "model": {"text", "data"},
    "decoding": {"text", "data"},
    "training": {"decoding", "evaluation"},
    "server": {"training", "lab"},
}
WITHOUT_TORCH = {
    "errors", "special_tokens", "files", "text", "translation", "generation", "reading", "glass", "documents",
    "explain", "bulk", "cli",
}  # fmt: skip

FILES = source_files()


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_point_one_way(path):
    folder, file = room_and_file(path)
    assert folder in RANK, f"{folder} has no place in the order"
    for name, at_top in imported_modules(ast.parse(path.read_text(encoding="utf-8"))):
        if name.split(".")[0] == "torch":
            assert not (at_top and folder in WITHOUT_TORCH), f"{path} imports torch when it is loaded"
        if not name.startswith("attendo."):
            continue
        other, _, other_file = name.removeprefix("attendo.").partition(".")
        if other not in RANK:
            continue  # a name out of attendo/__init__.py, such as __version__
        assert other == folder or RANK[other] < RANK[folder], f"{path} imports {name}, which stands to its right"
        assert other not in FORBIDDEN.get(folder, set()), f"{folder} must not import {other}"
        other_file = other_file.split(".")[0]
        if folder == other == "model" and other_file in MODEL_RANK:
            assert file in MODEL_RANK, f"model/{file}.py has no place among parts and wholes"
            assert MODEL_RANK[other_file] <= MODEL_RANK[file], f"{path}: a part imports a whole, {name}"


def test_the_rule_would_notice():
    """The guard of the guard: the order is a real order, and imports are really found."""
    found = [name for path in FILES for name, _ in imported_modules(ast.parse(path.read_text(encoding="utf-8")))]
    assert found.count("attendo.errors") > 3
    assert RANK["errors"] < RANK["model"] < RANK["cli"]
    late = ast.parse("def f():\n    import torch\n")
    assert list(imported_modules(late)) == [("torch", False)]


def test_no_file_of_the_model_is_long():
    files = (PACKAGE / "model").glob("*.py")
    lengths = {path.name: len(path.read_text(encoding="utf-8").split("\n")) for path in files}
    assert max(lengths.values()) <= 250, lengths


def test_help_is_light():
    """`attendo --help` loads neither torch nor anything else that is heavy."""
    code = (
        "import sys; sys.argv = ['attendo', '--help']\n"
        "from attendo.cli.main import main\n"
        "try:\n    main()\nexcept SystemExit as end:\n    assert not end.code\n"
        "heavy = {'torch', 'numpy', 'matplotlib', 'tokenizers', 'ctranslate2', 'transformers'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "describe" in done.stdout
