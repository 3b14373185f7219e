"""F1's static gate: nothing in the project calls a loader that could run code out of a file."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
SOURCES = [
    path for folder in ("attendo", "demos", "tests", "benchmarks") for path in sorted((ROOT / folder).rglob("*.py"))
]
# Called as `name(…)` or as `module.name(…)`.
BANNED_NAMES = {"eval", "exec", "__import__", "compile"}
BANNED_CALLS = {
    ("pickle", "load"), ("pickle", "loads"), ("pickle", "Unpickler"), ("dill", "load"), ("dill", "loads"),
    ("joblib", "load"), ("marshal", "load"), ("marshal", "loads"), ("shelve", "open"), ("yaml", "load"),
    ("yaml", "unsafe_load"), ("torch", "load"), ("jit", "load"), ("export", "load"), ("pandas", "read_pickle"),
    ("numpy", "fromfile"), ("os", "system"),
}  # fmt: skip
BANNED_MODULES = {"pickle", "dill", "joblib", "marshal", "shelve", "cloudpickle"}
# The one exception: pytorch_model.bin of other people's models, tensors alone, in a child process with limits.
ALLOWED = {("attendo/exchange/torch_file.py", "torch.load")}
ALLOWED_CALL = "torch.load(path, map_location='cpu', weights_only=True)"
BANNED_ARGUMENTS = {"allow_pickle", "trust_remote_code", "shell"}


def findings(source):
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names if alias.name.split(".")[0] in BANNED_MODULES)
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] in BANNED_MODULES:
            yield node.module
        elif isinstance(node, ast.Call):
            match node.func:
                case ast.Name(id=name) if name in BANNED_NAMES:
                    yield name
                case ast.Attribute(value=ast.Name(id=module), attr=name) if (module, name) in BANNED_CALLS:
                    yield f"{module}.{name}"
                case ast.Attribute(value=ast.Attribute(attr=module), attr=name) if (module, name) in BANNED_CALLS:
                    yield f"{module}.{name}"
            for keyword in node.keywords:
                if keyword.arg in BANNED_ARGUMENTS and not (
                    isinstance(keyword.value, ast.Constant) and keyword.value.value is False
                ):
                    yield f"{keyword.arg}="


def test_no_unsafe_loader_is_called_anywhere():
    found = [
        (path.relative_to(ROOT).as_posix(), what)
        for path in SOURCES
        for what in findings(path.read_text(encoding="utf-8"))
    ]
    assert len(SOURCES) > 40
    assert found == sorted(ALLOWED)


def test_the_one_exception_takes_tensors_alone():
    ((file, _),) = ALLOWED
    calls = [node for node in ast.walk(ast.parse((ROOT / file).read_text())) if isinstance(node, ast.Call)]
    assert [ast.unparse(call) for call in calls if "torch.load" in ast.unparse(call.func)] == [ALLOWED_CALL]


@pytest.mark.parametrize(
    "planted",
    [
        "import pickle", "from pickle import loads", "torch.load(f)", "torch.load(f, weights_only=True)",
        "torch.jit.load(f)", "numpy.load(f, allow_pickle=True)", "eval(text)", "yaml.load(f)",
        "subprocess.run(line, shell=True)", "AutoModel.from_pretrained(x, trust_remote_code=True)",
    ],
)  # fmt: skip
def test_the_gate_closes(planted):
    assert list(findings(planted))


def test_the_gate_lets_the_innocent_through():
    assert not list(findings("model.eval(); json.load(f); numpy.load(f, allow_pickle=False); torch.compile(model)"))
