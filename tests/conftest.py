"""Tests run two at a time on two cores, so each keeps to one thread; and each starts from the same random state."""

import json
import os
import signal
from pathlib import Path

import pytest
from hypothesis import settings

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # numpy's; read once, when it is loaded, which torch does

import torch

torch.set_num_threads(1)
# What the tests read is English, whatever the locale of who runs them; those of --lang choose for themselves.
for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
    if os.environ.get(name, "").lower().startswith("zh"):
        os.environ[name] = "C.UTF-8"


# A change is judged by the same drawn examples each time, whoever runs them; `make explore` draws others.
settings.register_profile("the same", derandomize=True)
settings.register_profile("anew", derandomize=False)
settings.load_profile("the same")


@pytest.fixture
def evidence():
    """A test's number for docs/reliability.md: evidence("X7", "strings that come back", "500 of 500").

    Written only where `make reliability` asks for it, by naming a file.
    """

    def note(row, what, number):
        if path := os.environ.get("ATTENDO_EVIDENCE"):
            with Path(path).open("a", encoding="utf-8") as file:
                file.write(json.dumps([row, what, str(number)]) + "\n")

    return note


@pytest.fixture(autouse=True, scope="session")
def interruptible():
    """A shell has what it starts in the background ignore Ctrl-C, and so would the processes that tests interrupt."""
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def same_start():
    torch.manual_seed(0)
