"""The libraries we build on: each pinned, none older than the fixes we rely on, few, and each with a reason."""

import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version

ROOT = Path(__file__).parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]

# Older versions have known holes: torch 2.10 fixes memory corruption in loading, starlette 1.3.1 host, path and form
# handling, sentencepiece 0.2.2 crashes on hostile models; safetensors 0.7 is the oldest we test our file checks with.
FLOORS = {"torch": "2.10", "safetensors": "0.7", "starlette": "1.3.1", "sentencepiece": "0.2.2"}


def pins():
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").split("\n")
    pairs = (line.split("==") for line in lines if line and not line.startswith("#"))
    return {canonicalize_name(name): version for name, version in pairs}


def requirements():
    groups = [PROJECT["dependencies"], *PROJECT["optional-dependencies"].values()]
    return [Requirement(line) for group in groups for line in group if not line.startswith("attendo[")]


@pytest.mark.parametrize("name", FLOORS)
def test_floors(name):
    floor = Version(FLOORS[name])
    if name in pins():
        assert Version(pins()[name]) >= floor
    for requirement in requirements():
        if requirement.name == name:
            low = [Version(s.version) for s in requirement.specifier if s.operator in (">=", "==", "~=", ">")]
            assert low, f"{name} has no lower bound in pyproject.toml"
            assert max(low) >= floor, f"pyproject.toml admits {requirement}, the floor is {floor}"
    try:
        installed = Version(metadata.version(name))
    except metadata.PackageNotFoundError:
        return
    assert installed >= floor


def test_the_floors_that_matter_today_are_in_use():
    assert {"torch", "safetensors", "starlette"} <= {requirement.name for requirement in requirements()}


def test_every_dependency_is_pinned_and_installed_as_pinned():
    for requirement in requirements():
        assert requirement.name in pins(), f"{requirement.name} is not pinned in constraints.txt"
        assert Version(pins()[requirement.name]) in requirement.specifier
    wrong = []
    for name, pin in pins().items():
        try:
            installed = Version(metadata.version(name)).public
        except metadata.PackageNotFoundError:
            continue  # belongs to an extra that the tests do not need
        if installed != pin:
            wrong.append((name, pin, installed))
    assert wrong == []


def test_the_extras_of_the_contract_exist():
    assert {"train", "serve", "files", "all"} <= set(PROJECT["optional-dependencies"])


def test_every_library_has_its_reason():
    reasons = (ROOT / "docs" / "dependencies.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^\| `([\w-]+)`", reasons, flags=re.MULTILINE))
    assert named == {requirement.name for requirement in requirements()}
