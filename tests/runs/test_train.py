"""attendo.train from Python: a result instead of an exit code, errors that can be caught, and no console."""

import ast
import os
import threading
from pathlib import Path

import pytest

import attendo
from attendo.cli.main import run
from attendo.errors import AttendoError, ConfigError
from attendo.runs.train import train
from attendo.training.callback import Callback
from tests.training.tiny_run import tiny_recipe

PACKAGE = Path(attendo.__file__).parent
SHORT = {"max_steps": 4, "checkpoint_every": 2, "warmup_steps": 2}
RECIPE = """
[data]
languages = ["abc", "cba"]
directions = ["abc-cba"]
held_out = 0.1
[[data.corpora]]
task = "reverse"
pairs = 300
longest = 6
[tokenizer]
kind = "char"
[model]
family = "transformer"
d_model = 16
d_ff = 32
num_heads = 2
encoder_layers = 1
decoder_layers = 1
[training]
max_steps = 4
device = "cpu"
[validation]
every = 2
max_pairs = 4
"""


def test_from_the_file_of_a_recipe(tmp_path, capfd):
    (tmp_path / "mine.toml").write_text(RECIPE, encoding="utf-8")
    result = train(tmp_path / "mine.toml", tmp_path / "run", settings=["training.max_steps=6"])
    assert result.finished
    assert result.exit_code == 0
    assert (result.run_dir, result.model) == (tmp_path / "run", tmp_path / "run" / "model")
    assert result.step == 6
    assert result.best_step in (2, 4, 6)
    assert result.best_score is not None
    assert "attendo.train(" in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    assert capfd.readouterr().out == ""
    again = train(tmp_path / "mine.toml", tmp_path / "run", settings=["training.max_steps=6"])
    assert again == result


def test_what_is_wrong_is_an_error_of_ours(tmp_path):
    with pytest.raises(ConfigError, match="cannot read"):
        train(tmp_path / "missing.toml", tmp_path / "run")
    with pytest.raises(AttendoError, match="settings"):
        train(tiny_recipe(), tmp_path / "run", settings=["training.seed=2"])


class StopsAfter(Callback):
    def __init__(self, step):
        self.step = step

    def on_step(self, record):
        if record.step == self.step:
            raise KeyboardInterrupt


def test_in_another_thread_where_no_signal_can_be_handled(tmp_path):
    results = []
    recipe = tiny_recipe(training=SHORT)
    thread = threading.Thread(target=lambda: results.append(train(recipe, tmp_path / "run")))
    thread.start()
    thread.join()
    assert results[0].finished
    assert results[0].step == 4


def test_what_a_callback_raises_ends_the_run_and_the_same_call_resumes_it(tmp_path):
    recipe = tiny_recipe(training=SHORT)
    with pytest.raises(KeyboardInterrupt):
        train(recipe, tmp_path / "run", callbacks=[StopsAfter(3)])
    assert train(recipe, tmp_path / "run").finished


def imported_by(module):
    """Of the package, with what is imported inside functions."""
    path = PACKAGE.joinpath(*module.split(".")[1:])
    file = path.with_suffix(".py") if path.with_suffix(".py").exists() else path / "__init__.py"
    names = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("attendo"):
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
        elif isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names if alias.name.startswith("attendo.")}
    return file, {name for name in names if name != "attendo" and is_module(name)}


def is_module(name):
    path = PACKAGE.joinpath(*name.split(".")[1:])
    return path.with_suffix(".py").exists() or (path / "__init__.py").exists()


@pytest.mark.parametrize("module", ["attendo.runs.train", "attendo.training.trainer"])
def test_nothing_it_imports_knows_a_console_or_a_command_line(module):
    todo, files = {module}, {}
    while todo:
        name = todo.pop()
        files[name], names = imported_by(name)
        todo |= names - set(files)
    assert len(files) > 20
    for name, file in files.items():
        text = file.read_text(encoding="utf-8")
        for word in ("Console", "argv", "import rich", "from rich", "typer"):
            assert word not in text, f"{name} knows {word}"


def test_a_recipe_may_come_from_a_pipe(tmp_path):
    """attendo train <(cat recipe.toml): it can be read once."""
    pipe = tmp_path / "recipe.toml"
    os.mkfifo(pipe)
    threading.Thread(target=pipe.write_text, args=(RECIPE,), daemon=True).start()
    assert run(["train", str(pipe), "--run-dir", str(tmp_path / "run")], debug=True) == 0
    assert (tmp_path / "run" / "model").is_dir()
