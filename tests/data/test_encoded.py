"""The encoded corpus: the tokenizer's ids, made once, never half made."""

import os
import signal
import subprocess
import sys

import pytest

from attendo.data import encoded
from attendo.data.corpus import AlignedFiles, CorpusFile
from attendo.data.encoded import encode_corpus
from attendo.data.filters import FilterConfig
from attendo.errors import DataError, WriteError
from attendo.files.durable import mark, sweep
from attendo.text.train_tokenizer import TokenizerConfig, train_tokenizer
from tests.text.conftest import synthetic_texts

LANGUAGES = ("zh", "en")


def encode(path, bpe, cache, filters=None, **more):
    return encode_corpus(CorpusFile(path), bpe, LANGUAGES, filters or FilterConfig(), cache, **more)


def test_it_holds_what_the_tokenizer_says(corpus_file, bpe, tmp_path, monkeypatch):
    monkeypatch.setattr(encoded, "CHUNK", 64)
    corpus = encode(corpus_file, bpe, tmp_path / "cache")
    pairs = [line.split("\t") for line in corpus_file.read_text(encoding="utf-8").split("\n")[:-1]]
    kept = [pair for index, pair in enumerate(pairs) if index not in (10, 20)]
    assert len(corpus) == len(kept) == 698
    assert [corpus.source[n] for n in range(698)] == bpe.encode_all(source for source, _ in kept)
    assert [corpus.target[n] for n in range(698)] == bpe.encode_all(target for _, target in kept)
    assert str(corpus.counts) == "700 pairs read, 698 kept, dropped: 1 empty, 1 too long"
    assert corpus.source.ids.dtype == "uint16"


def test_it_is_made_once_and_anew_when_anything_changes(corpus_file, bpe, tmp_path, monkeypatch):
    cache, builds = tmp_path / "cache", []
    real = encoded.build
    monkeypatch.setattr(encoded, "build", lambda *a: (builds.append(1), real(*a)))
    encode(corpus_file, bpe, cache)
    encode(corpus_file, bpe, cache)
    assert len(builds) == 1
    encode(corpus_file, bpe, cache, FilterConfig(duplicates=True))
    other = train_tokenizer(synthetic_texts, ["zh", "en"], TokenizerConfig(vocab_size=480))
    encode(corpus_file, other, cache)
    corpus_file.write_text(corpus_file.read_text(encoding="utf-8") + "新\tnew\n", encoding="utf-8")
    assert len(encode(corpus_file, bpe, cache)) == 699
    assert len(builds) == 4


def test_progress_and_problems_are_told(corpus_file, bpe, tmp_path, monkeypatch):
    monkeypatch.setattr(encoded, "CHUNK", 100)
    seen, problems = [], []
    encode(corpus_file, bpe, tmp_path / "cache", progress=seen.append, report=problems.append)
    assert seen == [100, 200, 300, 400, 500, 600, 700]
    assert [(problem.kind, problem.line) for problem in problems] == [("empty_source", 11)]


def test_two_aligned_files_and_an_empty_corpus(bpe, tmp_path):
    (tmp_path / "a.zh").write_text("我\n", encoding="utf-8")
    (tmp_path / "a.en").write_text("I\n", encoding="utf-8")
    files = AlignedFiles(tmp_path / "a.zh", tmp_path / "a.en")
    assert len(encode_corpus(files, bpe, LANGUAGES, FilterConfig(), tmp_path / "cache")) == 1
    (tmp_path / "empty.tsv").write_text("")
    assert len(encode(tmp_path / "empty.tsv", bpe, tmp_path / "cache")) == 0


@pytest.mark.parametrize("name", ["source.ids", "target.ids", "lengths", "meta.json"])
@pytest.mark.parametrize("damage", ["cut", "grown", "missing"])
def test_damage_is_found(corpus_file, bpe, tmp_path, name, damage):
    encode(corpus_file, bpe, tmp_path / "cache")
    (folder,) = (tmp_path / "cache").iterdir()
    whole = (folder / name).read_bytes()
    if damage == "missing":
        (folder / name).unlink()
    else:
        (folder / name).write_bytes(whole[:-5] if damage == "cut" else whole + b"12345")
    with pytest.raises(DataError, match="delete the folder"):
        encode(corpus_file, bpe, tmp_path / "cache")


def test_an_unwritable_cache_is_one_sentence(corpus_file, bpe, tmp_path, monkeypatch):
    def full(fd):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(WriteError, match="No space left on device"):
        encode(corpus_file, bpe, tmp_path / "cache")
    assert list((tmp_path / "cache").iterdir()) == []


BUILDER = """
import sys, time
from pathlib import Path
from attendo.data import encoded
from attendo.data.corpus import CorpusFile
from attendo.data.filters import FilterConfig
from attendo.text.tokenizer import Tokenizer
corpus, tokenizer, cache, slow = sys.argv[1:]
encoded.CHUNK = 50
def progress(pairs):
    print(pairs, flush=True)
    time.sleep(float(slow))
made = encoded.encode_corpus(CorpusFile(Path(corpus)), Tokenizer.load(Path(tokenizer)), ("zh", "en"), FilterConfig(),
                             Path(cache), progress=progress)
print("done", len(made))
"""


@pytest.fixture
def builder(corpus_file, bpe, tmp_path):
    bpe.save(tmp_path / "tokenizer.json")

    def start(slow):
        arguments = [corpus_file, tmp_path / "tokenizer.json", tmp_path / "cache", slow]
        command = [sys.executable, "-c", BUILDER, *map(str, arguments)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)

    return start


def test_a_killed_build_leaves_nothing_in_the_way(builder, corpus_file, bpe, tmp_path):
    with builder(slow=5) as child:
        assert child.stdout.readline() == "50\n"
        child.send_signal(signal.SIGKILL)
    assert len(list((tmp_path / "cache").glob(".unfinished-*"))) == 1
    assert len(encode(corpus_file, bpe, tmp_path / "cache")) == 698
    assert len(list((tmp_path / "cache").iterdir())) == 1, "the leftover was swept"


def test_two_builds_at_once_agree(builder, corpus_file, bpe, tmp_path):
    with builder(slow=0.05) as first, builder(slow=0.05) as second:
        last_lines = [child.communicate(timeout=60)[0].split("\n")[-2] for child in (first, second)]
    assert last_lines == ["done 698", "done 698"]
    assert [path.name for path in (tmp_path / "cache").iterdir() if path.name.startswith(".")] == []
    assert len(encode(corpus_file, bpe, tmp_path / "cache")) == 698


def test_a_build_under_way_is_not_swept(tmp_path):
    alive = tmp_path / f"{mark()}{os.getpid()}-x"
    dead = tmp_path / f"{mark()}999999999-x"
    elsewhere = tmp_path / ".unfinished-another1-999999999-x"
    for folder in (alive, dead, elsewhere):
        folder.mkdir()
    sweep(tmp_path)
    assert sorted(tmp_path.iterdir()) == sorted([alive, elsewhere])


def test_how_the_file_is_read_is_part_of_the_key(bpe, tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text('{"zh": "我", "en": "I"}\n', encoding="utf-8")
    counts = [
        len(encode_corpus(CorpusFile(path, languages), bpe, LANGUAGES, FilterConfig(), tmp_path / "cache"))
        for languages in (None, LANGUAGES)
    ]
    assert counts == [0, 1]


def test_an_unusable_cache_is_one_sentence(corpus_file, bpe, tmp_path):
    with pytest.raises(DataError, match="cannot make the folder"):
        encode(corpus_file, bpe, corpus_file / "cache")
