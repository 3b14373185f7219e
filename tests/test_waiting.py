"""Threads that wait for each other sleep after a short while, so that training survives a busy machine."""

import os
import subprocess
import sys

import pytest

WAITING = ("GOMP_SPINCOUNT", "OMP_WAIT_POLICY")


def told(code, **variables):
    """The standard output and error of a process that knows nothing of how this one waits."""
    environment = {name: value for name, value in os.environ.items() if name not in WAITING} | variables
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True, timeout=120
    )
    return done.stdout + done.stderr


def test_torch_finds_it_when_it_is_loaded():
    """By the words of the library itself, which tells what it has read."""
    said = told(
        "import attendo.training.trainer, torch; print(torch.__config__.parallel_info())", OMP_DISPLAY_ENV="VERBOSE"
    )
    if "GOMP_SPINCOUNT" not in said:
        pytest.skip("this torch has another OpenMP than GCC's")
    assert "GOMP_SPINCOUNT = '1000'" in said


@pytest.mark.parametrize(
    ("variables", "spin"),
    [({}, "1000"), ({"GOMP_SPINCOUNT": "7"}, "7"), ({"OMP_WAIT_POLICY": "active"}, "None")],
)
def test_what_a_user_has_set_stays(variables, spin):
    said = told("import attendo, os, sys; print(os.environ.get('GOMP_SPINCOUNT'), 'torch' in sys.modules)", **variables)
    assert said.split() == [spin, "False"]
