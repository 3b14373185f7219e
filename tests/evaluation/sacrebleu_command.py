"""The witness: sacreBLEU's own command line, in a process of its own."""

import json
import math
import os
import subprocess
import sys
from pathlib import Path

BIN = str(Path(sys.executable).parent)


def in_bash(command, folder):
    """The output of a line that attendo printed."""
    environment = {**os.environ, "PATH": f"{BIN}:{os.environ['PATH']}", "NO_COLOR": "1"}
    done = subprocess.run(
        ["/bin/bash", "-c", command], cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8",
        check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def scores(command, folder, width=8):
    """By name, as its JSON has them."""
    found = json.loads(in_bash(f"{command} --width {width}", folder))
    return {one["name"]: one for one in (found if isinstance(found, list) else [found])}


def same(ours, theirs):
    """Our table of a score, and its."""
    assert ours["signature"] == theirs["signature"]
    assert abs(ours["score"] - theirs["score"]) < 1e-6
    mean, half = theirs.get("confidence_mean", 0.0), theirs.get("confidence_var", 0.0)  # it says nothing of a mean of 0
    low, high = ours["interval"]
    assert abs(ours["mean"] - mean) < 1e-5
    assert abs(low - max(0.0, mean - half)) < 1e-5
    most = math.inf if theirs["name"] == "TER" else 100.0  # sacreBLEU writes mean ± half, whatever a score can be
    assert abs(high - min(mean + half, most)) < 1e-5
