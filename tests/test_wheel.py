"""The light install: a wheel in an empty environment, without torch, translates and exports."""

import json
import os
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest

from tests.translation.small_translator import save_random

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def light(tmp_path_factory):
    """The commands of an environment that holds the wheel and what it asks for, nothing else."""
    place = tmp_path_factory.mktemp("light")
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check"]
    wheel = [*pip, "wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(place), str(ROOT)]
    subprocess.run(wheel, check=True, cwd=place)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place / "venv")], check=True)
    python = place / "venv" / "bin" / "python"
    install = [*pip, "--python", str(python), "install", "--constraint", str(ROOT / "constraints.txt")]
    subprocess.run([*install, str(next(place.glob("*.whl")))], check=True)
    return python.parent


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return save_random(tmp_path_factory.mktemp("model") / "model", ends=9.0)


def run(light, tmp_path, *arguments, **settings):
    environment = {"PATH": str(light), "HOME": str(tmp_path), "ATTENDO_CACHE": str(tmp_path / "cache")}
    return subprocess.run(
        [str(light / arguments[0]), *arguments[1:]],
        capture_output=True, text=True, encoding="utf-8", env=environment, check=False, cwd=tmp_path, **settings,
    )  # fmt: skip


def test_there_is_no_torch(light, tmp_path):
    done = run(light, tmp_path, "python", "-c", "import torch")
    assert "ModuleNotFoundError" in done.stderr


def test_the_default_model_comes_with_it(light, tmp_path):
    done = run(light, tmp_path, "attendo", "translate", "我爱机器学习", "--to", "en")
    assert (done.returncode, done.stdout) == (0, "I love machine learning.\n"), done.stderr


def test_it_explains(light, tmp_path):
    """The page's scripts and style come with it, and numpy."""
    done = run(light, tmp_path, "attendo", "explain", "我爱机器学习", "--to", "en", "--out", "out")
    assert done.returncode == 0, done.stderr
    assert "softmaxRows" in (tmp_path / "out" / "explain.html").read_text(encoding="utf-8")


def test_it_translates(light, model, tmp_path):
    text = "你好吗？我爱机器学习。"
    done = run(light, tmp_path, "attendo", "translate", "--model", str(model), "--to", "en", "--json", text)
    assert done.returncode in (0, 3), done.stderr
    answer = json.loads(done.stdout)
    assert answer["engine"].startswith("CTranslate2")
    assert answer["ledger"]["characters_in"] == answer["ledger"]["characters_accounted_for"] == len(text)


def test_the_demo_needs_nothing_more(light, tmp_path):
    """All four directions, and which source words each word was made from: in the terminal and as a picture."""
    done = run(light, tmp_path, "python", str(ROOT / "demos" / "translate.py"), "--out", "out")
    assert done.returncode == 0, done.stderr
    assert all(
        f"{source} → {target}" in done.stdout for source, target in map(str.split, ("zh en", "en zh", "de en", "en de"))
    )
    assert "哪里吗？" in done.stdout  # the end of a long Chinese sentence, which is not cut
    assert "███" in done.stdout
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["links.svg"]


def test_it_is_small(light):
    """What `make demo` puts on a fresh machine, but for pip itself; it is to stay under 400 MB."""
    sizes = [path.stat().st_size for path in light.parent.rglob("*") if path.is_file() and not path.is_symlink()]
    assert sum(sizes) < 380e6


def test_it_exports(light, model, tmp_path):
    done = run(light, tmp_path, "attendo", "export", "--to", "ct2", str(model), "exported")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "exported" / "model.bin").stat().st_size > 1_000


@pytest.mark.parametrize(
    "arguments",
    [
        ["translate", "--engine", "torch", "--to", "en", "你好"],
        ["train", "recipe.toml", "--run-dir", "run"],
        ["inspect", "你好", "--to", "en", "--out", "out"],
    ],
    ids=lambda arguments: arguments[0],
)
def test_what_needs_torch_says_what_to_install(light, model, tmp_path, arguments):
    (tmp_path / "recipe.toml").write_bytes((ROOT / "recipes" / "copy.toml").read_bytes())
    if arguments[0] != "train":
        arguments = [*arguments, "--model", str(model)]
    done = run(light, tmp_path, "attendo", *arguments)
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "attendo[train]" in done.stderr


def test_the_wheel_holds_what_it_should(light):
    site = next((light.parent / "lib").glob("python*/site-packages"))
    assert not (site / "tests").exists()
    assert (site / "attendo" / "py.typed").exists()
    assert (site / "attendo" / "report" / "chinese.toml").exists()
    assert os.access(light / "attendo", os.X_OK)


def test_a_server_says_what_to_install(light, tmp_path):
    done = run(light, tmp_path, "attendo", "serve", "--port", "0")
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
    assert "attendo[serve]" in done.stderr


def test_with_what_it_asks_for_it_serves_and_shows_the_page(light, tmp_path):
    """Last, as it adds to the environment; still there is no torch in it."""
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", "--python", str(light / "python")]
    wheel = next(light.parents[1].glob("*.whl"))
    constraints = ["--constraint", str(ROOT / "constraints.txt")]
    subprocess.run([*pip, "install", *constraints, f"{wheel}[serve]"], check=True)
    environment = {"PATH": str(light), "HOME": str(tmp_path), "ATTENDO_CACHE": str(tmp_path / "cache")}
    command = [str(light / "attendo"), "serve", "--port", "0", "--threads", "1"]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment, cwd=tmp_path)
    try:
        address = process.stderr.readline().split(" ready at ")[1].split()[0]
        body = json.dumps({"q": "我爱机器学习", "source": "auto", "target": "en"}).encode()
        asked = urllib.request.Request(f"{address}/translate", body, {"content-type": "application/json"})  # noqa: S310
        with urllib.request.urlopen(asked, timeout=20) as reply:  # noqa: S310
            assert json.load(reply)["translatedText"] == "I love machine learning."
        with urllib.request.urlopen(address, timeout=20) as reply:  # noqa: S310
            assert b"<title>" in reply.read()
        process.terminate()
        assert process.wait(timeout=20) == 0
    finally:
        process.kill()
        process.stderr.close()
        process.wait()
    assert "ModuleNotFoundError" in run(light, tmp_path, "python", "-c", "import torch").stderr
