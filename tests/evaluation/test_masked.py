"""How many hidden tokens are guessed: beside an engine whose guesses are known, and beside passes one by one."""

import json
import math
from collections import Counter

import numpy as np
import pytest
import torch

from attendo.cli.main import run
from attendo.engines.torch_encoder import TorchEncoder
from attendo.errors import DataError
from attendo.evaluation.masked import SEED, hide_share, measure_masked
from attendo.special_tokens import MASK, SPECIAL
from tests.inspection.small_models import model, save, tokenizer

TEXTS = ["老师爱 24 books.", "书", "", "I love machine learning. It is fun!", "书和书和书和书和书和书", "   "]


class OneGuess:
    """An engine that is sure of one token everywhere."""

    name, longest, tokens_per_batch = "one guess", 512, 100

    def __init__(self, token):
        self.token = token

    def guess(self, rows, positions):
        found = []
        for row, where in zip(rows, positions, strict=True):
            assert all(row[position] == MASK for position in where)
            assert row.count(MASK) == len(where)
            assert row[-1] == SPECIAL.eos
            probabilities = np.full((len(where), tokenizer().vocab_size), 1e-6, dtype=np.float32)
            probabilities[:, self.token] = 0.9
            found.append(np.log(probabilities))
        return found


def rows():
    return [tokenizer().encode(text) for text in TEXTS if text.strip()]


def test_the_most_frequent_token_is_as_good_as_itself():
    token, count = Counter(token for row in rows() for token in row).most_common(1)[0]
    found = measure_masked(tokenizer(), OneGuess(token), TEXTS)
    assert found.frequent == tokenizer().decode([token])
    assert found.right == found.frequent_right > 0
    assert found.times == 1
    assert (found.lines, found.tokens) == (4, sum(map(len, rows())))
    # Of all tokens, each hidden once, so many are that one.
    n = found.tokens_alone
    assert n == found.tokens
    expected = count * math.log(0.9) + (n - count) * math.log(1e-6)
    assert found.log_prob_alone == pytest.approx(expected, rel=1e-5)
    assert found.pseudo_perplexity == pytest.approx(math.exp(-expected / n), rel=1e-4)


def test_a_guess_that_is_never_right():
    found = measure_masked(tokenizer(), OneGuess(SPECIAL.pad), TEXTS)
    assert (found.right, found.accuracy, found.times) == (0, 0.0, 0.0)
    assert found.hidden >= found.lines


def test_numbers_of_a_model_are_those_of_passes_one_by_one():
    encoder = model("encoder-only")
    found = measure_masked(tokenizer(), TorchEncoder(encoder, torch.device("cpu")), TEXTS)
    generator = np.random.default_rng(SEED)
    right = among = hidden = 0
    log_prob = 0.0
    alone = 0.0
    with torch.inference_mode():
        for pieces in rows():
            row = [*pieces, SPECIAL.eos]
            one = hide_share(row, generator)
            logits = encoder(torch.tensor([one.ids]))[0].log_softmax(-1)
            for position, answer in zip(one.positions, one.answers, strict=True):
                order = logits[position].argsort(descending=True).tolist()
                right, among, hidden = right + (order[0] == answer), among + (answer in order[:5]), hidden + 1
                log_prob += float(logits[position, answer])
            for position, answer in enumerate(pieces):
                masked = torch.tensor([[*row[:position], MASK, *row[position + 1 :]]])
                alone += float(encoder(masked)[0, position].log_softmax(-1)[answer])
    assert (found.hidden, found.right, found.among_likeliest) == (hidden, right, among)
    assert found.log_prob == pytest.approx(log_prob, rel=1e-4)
    assert found.log_prob_alone == pytest.approx(alone, rel=1e-4)


def test_a_share_is_hidden_at_least_one_and_never_the_end():
    generator = np.random.default_rng(0)
    shares = []
    for length in (1, 2, 100, 400):
        row = [*range(10, 10 + length), SPECIAL.eos]
        one = hide_share(row, generator)
        assert 1 <= len(one.positions) <= length
        assert one.ids[-1] == SPECIAL.eos
        assert [row[position] for position in one.positions] == one.answers
        shares.append(len(one.positions) / length)
    assert shares[-1] == pytest.approx(0.15, abs=0.06)


def test_nothing_to_measure():
    with pytest.raises(DataError, match="every line is empty"):
        measure_masked(tokenizer(), OneGuess(7), ["", " "])


# --- the command


def test_the_command(tmp_path, capsys):
    folder, file = save("encoder-only", tmp_path / "model"), tmp_path / "test.tsv"
    file.write_text("老师爱书\tThe teacher loves books\n书\ta book\n\t\n", encoding="utf-8")
    command = ["evaluate", str(file), "--model", str(folder), "--column", "1"]
    assert run([*command, "--json", "--engine", "torch"], debug=False) == 0
    (table,) = json.loads(capsys.readouterr().out)
    assert table["lines"] == 2
    assert 0 <= table["accuracy"] <= table["accuracy_among_5"] <= 1
    assert set(table["most_frequent_token"]) <= set("老师爱书")
    assert run(command, debug=False) == 0
    out = capsys.readouterr().out
    for words in ("guessed at once", "the most frequent token", "pseudo-perplexity", "CTranslate2"):
        assert words in out
    assert run([*command, "--lang", "zh"], debug=False) == 0
    assert "伪困惑度" in capsys.readouterr().out
    for option, code, words in (
        (["--to", "en"], 2, "--to is for models that translate"),
        (["--beam", "2"], 2, "--beam is for models that translate"),
        (["--passes", "2"], 2, "--passes is for models that translate"),
        (["--column", "7"], 1, f"attendo: {file}, line 1: no column 7: the line has 2"),
    ):
        assert run([*command, *option], debug=False) == code
        (line,) = capsys.readouterr().err.splitlines()
        assert words in line
    assert run(["evaluate", "none.txt", "--model", str(folder)], debug=False) == 1
    assert capsys.readouterr().err == "attendo: cannot read none.txt: No such file or directory\n"
