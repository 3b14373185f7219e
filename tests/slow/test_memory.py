"""A corpus of 2 GB passes reader, encoder and doctor in less than 1 GB of memory (`make slow`)."""

import os
import random
import subprocess
import sys
import time

import pytest

SIZE = int(os.environ.get("ATTENDO_SLOW_BYTES", 2 * 10**9))
LIMIT = 1_000_000  # kilobytes

STAGES = {
    "reader": """
from attendo.data.corpus import CorpusFile
pairs = sum(1 for _ in CorpusFile(corpus).pairs(print))
""",
    "encoder": """
from attendo.data.corpus import CorpusFile
from attendo.data.encoded import encode_corpus
from attendo.data.filters import FilterConfig
from attendo.text.tokenizer import Tokenizer
made = encode_corpus(CorpusFile(corpus), Tokenizer.load(folder / "t.json"), ("zh", "en"), FilterConfig(duplicates=True),
                     folder / "cache")
assert made.counts.adds_up
pairs = made.counts.read
""",
    "doctor": """
import contextlib, io, json
from attendo.cli.main import run
with contextlib.redirect_stdout(io.StringIO()) as out:
    assert run(["doctor", str(corpus), "--languages", "zh,en", "--json"], debug=True) == 0
pairs = json.loads(out.getvalue())["pairs"]
""",
}
CHILD = """
import sys
from pathlib import Path
corpus, folder = map(Path, sys.argv[1:])
{stage}
# Not getrusage, which still counts the parent that this process was forked from.
print(pairs, Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0])
"""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    """Made-up sentences of real words' lengths, no two pairs alike."""
    folder = tmp_path_factory.mktemp("large")
    draw = random.Random(1)
    words = ["".join(draw.choices("etaoinshrdlucmfw", k=draw.randrange(2, 9))) for _ in range(5000)]
    characters = [chr(draw.randrange(0x4E00, 0x5E00)) for _ in range(2000)]
    path, written, lines = folder / "corpus.tsv", 0, 0
    with path.open("wb") as file:
        while written < SIZE:
            block = "".join(
                f"{''.join(draw.choices(characters, k=12))}{n}\t{' '.join(draw.choices(words, k=9))} {n}.\n"
                for n in range(lines, lines + 10_000)
            ).encode()
            lines += 10_000
            written += file.write(block)
    from attendo.text.train_tokenizer import TokenizerConfig, train_tokenizer

    texts = [" ".join(draw.choices(words, k=9)) for _ in range(2000)] + ["".join(characters)] * 3
    train_tokenizer(lambda: texts, ["zh", "en"], TokenizerConfig(8000)).save(folder / "t.json")
    return path, lines


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("stage", STAGES)
def test_memory_stays_flat(corpus, stage):
    path, lines = corpus
    start = time.perf_counter()
    command = [sys.executable, "-c", CHILD.format(stage=STAGES[stage]), str(path), str(path.parent)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-2000:]
    pairs, kilobytes = map(int, done.stdout.split()[-2:])
    print(f"{stage}: {pairs:,} pairs, {kilobytes / 1000:.0f} MB, {time.perf_counter() - start:.0f} s")
    assert pairs == lines
    assert kilobytes < LIMIT
