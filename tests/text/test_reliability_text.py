"""X2, X3, X4 as far as text and tokenizer go: nothing to say, broken bytes, very long lines."""

import random
import subprocess
import sys
from pathlib import Path

import pytest

from attendo.data.lines import decode_line

NOTHING = ["", " ", "\u00a0", "\u3000", "\u200b", "\t \t", "\x01\x02", "...", "。！？", "—", "\ufeff", "\u2028"]


@pytest.mark.parametrize("kind", ["bpe", "unigram", "char"])
def test_nothing_to_say_stays_nothing(tokenizers, kind, evidence):
    """X2: no id comes from an empty text, and what is only spaces or signs comes back as it is."""
    assert tokenizers[kind].encode("") == []
    assert tokenizers[kind].decode([]) == ""
    wrong = [text for text in NOTHING if tokenizers[kind].decode(tokenizers[kind].encode(text)) != text]
    assert wrong == []
    evidence("X2", f"texts of nothing but spaces, controls or signs that change, kind {kind}", f"0 of {len(NOTHING)}")


def test_any_bytes_are_a_line(tokenizers, evidence):
    """X3: 3,000 lines of random bytes, many of them broken UTF-8: each gives ids, none is dropped, none crashes."""
    draw = random.Random(5)
    nasty = [
        b"\xff",
        b"\xc3",
        b"\xed\xa0\x80",
        b"\x00",
        b"\xef\xbf\xbe",
        b"\xe2\x80\xae",
        b"\xc2\x85",
        b"a",
        "我".encode(),
    ]
    lines = [b"".join(draw.choices(nasty, k=draw.randrange(20))) for _ in range(3000)]
    problems = []
    texts = [decode_line(b"x" + raw, Path("f"), number, problems.append) for number, raw in enumerate(lines, start=1)]
    encoded = tokenizers["bpe"].encode_all(texts)
    assert [tokenizers["bpe"].decode(ids) for ids in encoded] == texts
    broken = {problem.line for problem in problems}
    assert broken == {
        n for n, raw in enumerate(lines, 1) if b"\0" in raw or "\ufffd" in raw.decode("utf-8", errors="replace")
    }
    evidence("X3", "lines of random bytes dropped, or crashes", f"0 of {len(lines)}")
    evidence("X3", "broken lines named by number", f"{len(broken)} of {len(broken)}")


LONG = """
import sys, time
from pathlib import Path
from attendo.text.tokenizer import Tokenizer
tokenizer = Tokenizer.load(Path(sys.argv[1]))
tokenizer.encode("warm")
def peak():  # kilobytes; getrusage would count the parent that this process was forked from
    return int(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0])
before = peak()
text = {"words": "word " * 200_000, "no spaces": "x" * 1_000_000, "Han": "学" * 333_333,
        "marks": "e" + "\\u0301" * 10_000, "emoji": "\\U0001f600" * 250_000}[sys.argv[2]]
start = time.perf_counter()
ids = tokenizer.encode(text)
seconds = time.perf_counter() - start
assert tokenizer.decode(ids) == text or sys.argv[2] == "marks"
print(seconds, (peak() - before) / 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("kind", ["words", "no spaces", "Han", "marks", "emoji"])
def test_a_line_of_a_megabyte(tokenizers, kind, tmp_path, evidence):
    """X4: bounded time and memory for one line of a million bytes."""
    tokenizers["bpe"].save(tmp_path / "t.json")
    command = [sys.executable, "-c", LONG, str(tmp_path / "t.json"), kind]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=True)
    seconds, megabytes = map(float, done.stdout.split())
    assert seconds < 20
    assert megabytes < 500
    evidence(
        "X4", f"one line of about 1 MB ({kind}): seconds, and MB of memory on top", f"{seconds:.2f}, {megabytes:.0f}"
    )
