"""A file of 100,000 lines, the real command, a real engine: memory stays flat, kills lose nothing (`make slow`)."""

import json
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.translation.small_translator import save_random

ROOT = Path(__file__).parents[2]
pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")]


def resident(process):
    """Megabytes of memory it has now; 0 once it is gone."""
    try:
        status = Path(f"/proc/{process}/status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return int(status.partition("VmRSS:")[2].split()[0]) / 1000 if "VmRSS:" in status else 0.0


def test_a_hundred_thousand_lines_killed_and_gone_on_with(tmp_path, evidence):
    source, target = tmp_path / "in.txt", tmp_path / "out.txt"
    source.write_bytes("".join(f"我爱机器学习{n}。 I love it, {n * 3}!\n" for n in range(100_000)).encode())
    model = save_random(tmp_path / "model", ends=12.0)

    def start(*more):
        options = ("--model", model, "--to", "en", "--from", "zh", "--beam", "1", "--threads", "1")
        ends = ("-i", source, "-o", target, "--report", tmp_path / "report.json")
        command = [sys.executable, "-m", "attendo", "translate", *map(str, (*options, *ends)), *more]
        return subprocess.Popen(command, stderr=subprocess.DEVNULL, cwd=ROOT)

    def report():
        table = json.loads((tmp_path / "report.json").read_bytes())
        return {key: value for key, value in table.items() if key != "seconds"}

    began = time.perf_counter()
    process, megabytes = start(), []
    while process.poll() is None:
        megabytes.append(resident(process.pid))
        time.sleep(0.2)
    assert process.wait() == 3
    whole = time.perf_counter() - began
    quarter = len(megabytes) // 4
    earlier, later = (max(part) for part in (megabytes[quarter : 2 * quarter], megabytes[-quarter:]))
    assert later < earlier + 10, f"{later:.0f} MB in the last quarter of the time, {earlier:.0f} MB in the second"
    wanted, ledger = target.read_bytes(), report()
    assert wanted.count(b"\n") == ledger["lines_in"] == ledger["lines_out"] == 100_000
    target.unlink()
    (tmp_path / "report.json").unlink()
    draw = random.Random(1)
    kills, more = 0, ()
    while True:
        process = start(*more)
        try:
            code = process.wait(draw.uniform(0.1, 0.25) * whole)  # so that it dies three times at least
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
        more = ("--resume",)
        if code >= 0:
            break
        kills += 1
    assert code == 3
    assert kills >= 3
    assert target.read_bytes() == wanted
    assert report() == ledger
    print(f"{kills} kills, {earlier:.0f} MB in the second quarter of the time, {later:.0f} MB in the last")
    evidence("X1", "its memory at the most, MB: second quarter / last quarter", f"{earlier:.0f} / {later:.0f}")
    evidence("X1", "a file of 100,000 lines, a random model: SIGKILL / lines lost or doubled", f"{kills} / 0")
