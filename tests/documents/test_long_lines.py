"""Long lines and long files: cut by the rule, ended, and in memory that does not grow."""

import subprocess
import sys
from pathlib import Path

import pytest

from attendo.translation.options import TranslationOptions
from tests.documents.nasty_files import translated
from tests.translation.fake_engine import (
    FakeEngine,
    for_ever,
    write_fake_model,
)

ROOT = Path(__file__).parent.parent.parent


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    return write_fake_model(tmp_path_factory.mktemp("lines") / "model")


# --- X4: long; X5: repetitive


def test_long_lines_are_cut_by_the_rule_and_every_cut_is_counted(model, evidence):
    line = "机器学习" * 500 + "x" * 5_000
    out, account, watch = translated(model, f"a\n{line}\nb\n".encode(), FakeEngine())
    assert out.decode().replace(" ", "") == f"a\n{line}\nb\n"  # English puts spaces between what was Chinese
    assert account.ledger.cut > 10
    assert watch.warnings == [(2, f"{account.ledger.cut} cuts in sentences that were too long")]
    evidence("X4", "cuts in a long line of a file that are not counted, or not said", f"0 of {account.ledger.cut}")


@pytest.mark.parametrize("unit", ["a", "ha ", "😀x", "哈"])
def test_a_model_that_never_ends_is_ended(model, unit, evidence):
    """Its words are not believed: the line stands as it was, and the ledger says so."""
    line = unit * 3_000
    engine = FakeEngine(for_ever, remembers=False)
    out, account, _ = translated(model, f"{line}\n".encode(), engine, options=TranslationOptions(beam=1))
    ledger = account.ledger
    assert ledger.adds_up
    assert len(out) < 4 * len(line.encode()) + 1_000
    assert not ledger.is_clean
    evidence(
        "X5",
        f"{unit!r} 3,000 times to a model that never ends: bytes out for a byte in",
        f"{len(out) / len(line.encode()):.1f}",
    )


CHILD = """
import io, sys, time
from pathlib import Path
sys.path.insert(0, {root!r})
from attendo.documents.file_translation import FileTranslation
from tests.translation.fake_engine import FakeEngine, Listener, fake_translator
def peak():  # kilobytes; getrusage would count the parent that this process was forked from
    return int(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0])
class Lines(io.RawIOBase):  # made as they are read, so that only the translator's memory grows
    def __init__(self, total, line):
        self.left, self.line = total, line
    def read1(self, size):
        count = min(self.left, max(1, size // len(self.line)))
        self.left -= count
        return b"".join(self.line % (self.left + n) for n in range(count))
class Nowhere(io.RawIOBase):
    def write(self, data):
        return len(data)
class Deaf(Listener):
    def done(self, chunk, answers):
        pass
translator = fake_translator(Path(sys.argv[1]), FakeEngine(tokens_per_batch=4_000, remembers=False))
task = FileTranslation(to="en", from_="zh")
def go(stream):
    return task.run(translator, stream, Nowhere(), Deaf())
"""


def in_child(model, code, timeout=300):
    command = [sys.executable, "-c", CHILD.format(root=str(ROOT)) + code, str(model)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False)
    assert done.returncode == 0, done.stderr[-2_000:]
    return done.stdout.split()


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize(
    "kind", [*(pytest.param(kind, marks=pytest.mark.slow) for kind in ("words", "no spaces")), "Han", "marks"]
)
def test_a_line_of_a_megabyte(model, kind, evidence):
    code = f"""
line = {{"words": "word " * 200_000, "no spaces": "x" * 1_000_000, "Han": "学" * 333_333,
        "marks": "e" + "\\u0301" * 10_000}}[{kind!r}].encode()
go(io.BytesIO(b"warm up"))
before, start = peak(), time.perf_counter()
account = go(io.BytesIO(b"a\\n" + line + b"\\nb"))
assert account.ledger.adds_up and account.lines == 3
print(time.perf_counter() - start, (peak() - before) / 1024, account.ledger.cut)
"""
    seconds, megabytes, cuts = map(float, in_child(model, code))
    assert seconds < 30
    assert megabytes < 300
    assert cuts > 10
    evidence(
        "X4",
        f"one line of a file of about 1 MB ({kind}), fake model: seconds, MB on top",
        f"{seconds:.1f}, {megabytes:.0f}",
    )


FLAT = """
line = "我爱机器学习%d。 I love it, it is fun!\\n".encode()
go(Lines({few}, line))
before = peak()
account = go(Lines({many}, line))
assert account.lines == account.ledger.lines_out == {many} and account.ledger.adds_up
print((peak() - before) / 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize(("few", "many"), [(2_000, 10_000), pytest.param(5_000, 100_000, marks=pytest.mark.slow)])
def test_memory_does_not_grow_with_the_number_of_lines(model, few, many, evidence):
    (megabytes,) = map(float, in_child(model, FLAT.format(few=few, many=many)))
    assert megabytes < 25
    evidence("X4", f"a file of {many:,} lines beside one of {few:,}, fake model: MB on top", f"{megabytes:.1f}")
