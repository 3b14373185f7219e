"""F5, F1: a broken or hostile tokenizer.json is one sentence, quickly, whatever it holds."""

import json
import time

import pytest

from attendo.errors import InputError, WriteError
from attendo.text.tokenizer import Tokenizer

GOOD = {"format": 1, "kind": "bpe", "languages": ["zh", "en"], "pieces": ["a", "b", "ab"], "merges": [[0, 1]]}

HOSTILE = {
    "a piece of 500 KB": ({**GOOD, "pieces": ["a" * 500_000]}, "piece 0 is not a text of 1 to 128 characters"),
    "too many pieces": ({**GOOD, "pieces": ["a"] * 1_000_001}, "at most 1,000,000 pieces"),
    "a piece twice": ({**GOOD, "pieces": ["a", "b", "a"]}, "listed twice"),
    "a piece named like a byte": ({**GOOD, "pieces": ["<0x41>"], "merges": []}, "is a name of the tokenizer's own"),
    "an empty piece": ({**GOOD, "pieces": ["", "b"]}, "piece 0"),
    "a piece that is no text": ({**GOOD, "pieces": [1, 2]}, "piece 0"),
    "half a surrogate": ({**GOOD, "pieces": ["\ud800"], "merges": []}, "surrogate"),
    "a merge out of range": ({**GOOD, "merges": [[0, 7]]}, "merge 0 is not a pair of numbers below 3"),
    "a negative merge": ({**GOOD, "merges": [[-1, 0]]}, "merge 0"),
    "a merge of three": ({**GOOD, "merges": [[0, 1, 2]]}, "merge 0"),
    "a merge that makes nothing listed": ({**GOOD, "merges": [[1, 0]]}, "merge 0 makes a piece that is not listed"),
    "merges as text": ({**GOOD, "merges": ["a b"]}, "merge 0"),
    "no merges": ({key: value for key, value in GOOD.items() if key != "merges"}, "merges"),
    "unknown kind": ({**GOOD, "kind": "syllables"}, "kind is 'syllables'"),
    "kind is a list": ({**GOOD, "kind": ["bpe"]}, "kind is"),
    "a pattern of its own": ({**GOOD, "pre_tokenizer": {"Regex": "(a+)+$"}}, "unknown key 'pre_tokenizer'"),
    "special tokens of its own": ({**GOOD, "added_tokens": [{"id": 2, "content": "x"}]}, "unknown key 'added_tokens'"),
    "no languages": ({**GOOD, "languages": []}, "languages are names"),
    "a language that is none": ({**GOOD, "languages": ["../../etc"]}, "languages are names"),
    "a language twice": ({**GOOD, "languages": ["zh", "zh"]}, "listed twice"),
    "a newer format": ({**GOOD, "format": 2}, "format is 2, expected 1"),
    "a file of the library": ({"version": "1.0", "model": {"type": "BPE"}}, "not a tokenizer of attendo"),
    "a list": ([1, 2], "format is list"),
    "characters of two": ({"format": 1, "kind": "char", "languages": ["en"], "pieces": ["ab"]}, "piece 0 has 2"),
    "scores missing": (
        {"format": 1, "kind": "unigram", "languages": ["en"], "pieces": ["a"], "scores": []}, "0 scores",
    ),
    "a score of infinity": (
        {"format": 1, "kind": "unigram", "languages": ["en"], "pieces": ["a"], "scores": [float("inf")]},
        "Infinity is no number",
    ),
    "a score of 400 digits": (
        {"format": 1, "kind": "unigram", "languages": ["en"], "pieces": ["a"], "scores": [-(10**400)]}, "score 0",
    ),
    "a score that is no number": (
        {"format": 1, "kind": "unigram", "languages": ["en"], "pieces": ["a"], "scores": ["x"]}, "score 0",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_files_are_one_sentence(name, tmp_path, evidence):
    table, complaint = HOSTILE[name]
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(table))
    start = time.perf_counter()
    with pytest.raises(InputError, match=complaint) as caught:
        Tokenizer.load(path)
    seconds = time.perf_counter() - start
    assert seconds < 2
    evidence("F5", f"tokenizer file with {name}: refused after", f"{seconds * 1000:.0f} ms")
    assert len(str(caught.value)) < 300
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "raw",
    [b"", b"{", b"\x80\x04\x95pickle", b"[" * 100_000, b'{"format": ' + b"1" * 5000 + b"}", b"\xff\xfe{", b"null"],
)
def test_what_is_no_json_is_one_sentence(raw, tmp_path):
    path = tmp_path / "tokenizer.json"
    path.write_bytes(raw)
    with pytest.raises(InputError):
        Tokenizer.load(path)


def test_too_large_a_file_is_not_read(tmp_path, monkeypatch):
    monkeypatch.setattr("attendo.text.subword_models.LARGEST_FILE", 10)
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(GOOD))
    with pytest.raises(InputError, match="at most 10"):
        Tokenizer.load(path)


def test_every_byte_of_damage_is_survived(tmp_path):
    """Each byte of a good file changed in turn: an error, or a tokenizer that still works."""
    path, good = tmp_path / "tokenizer.json", json.dumps(GOOD).encode()
    errors = 0
    for index in range(len(good)):
        path.write_bytes(good[:index] + bytes([good[index] ^ 0x11]) + good[index + 1 :])
        try:
            assert Tokenizer.load(path).decode(Tokenizer.load(path).encode("abba 我")) == "abba 我"
        except InputError:
            errors += 1
    assert errors > len(good) // 2


def test_a_save_that_fails_leaves_the_old_file(tmp_path, tokenizers, monkeypatch):
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(GOOD))

    def full(fd):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    with pytest.raises(WriteError, match="No space left"):
        tokenizers["bpe"].save(path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["tokenizer.json"]
    assert json.loads(path.read_text()) == GOOD
