"""A script beside a clone that is called attendo, as a clone is, finds the package and not the clone's folder."""

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
BUILD = "from setuptools import build_meta; build_meta.build_editable({!r})"


def test_a_script_beside_the_clone_finds_the_package(tmp_path):
    clone = tmp_path / "attendo"
    (clone / "attendo").mkdir(parents=True)
    for name in ("pyproject.toml", "README.md", "LICENSE", "attendo/__init__.py"):
        shutil.copy(ROOT / name, clone / name)
    subprocess.run([sys.executable, "-c", BUILD.format(str(tmp_path))], cwd=clone, check=True, capture_output=True)
    installed = tmp_path / "installed"
    with zipfile.ZipFile(next(tmp_path.glob("*.whl"))) as wheel:
        wheel.extractall(installed)
    script = tmp_path / "script.py"
    script.write_text(f"import site\nsite.addsitedir({str(installed)!r})\nimport attendo\nprint(attendo.__file__)\n")
    # -S: without the environment of these tests, where attendo is installed, too; a script's own folder stays.
    done = subprocess.run([sys.executable, "-S", "-E", str(script)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(clone / "attendo" / "__init__.py")
