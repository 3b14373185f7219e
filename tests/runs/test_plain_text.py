"""Recipes on plain text: a line is one sequence without a source, for a decoder alone and an encoder alone."""

import math

import pytest
import torch

from attendo.data.batches import Batches
from attendo.data.corpus import Pair, TextFile
from attendo.errors import ConfigError, DataError
from attendo.model_folder.bundle import read_bundle
from attendo.recipe.recipe import recipe_from_dict
from attendo.runs.prepare import prepare
from attendo.runs.train import train
from attendo.runs.validation import one_epoch
from attendo.special_tokens import SPECIAL
from attendo.training.masked_tokens import sentences
from tests.text.conftest import synthetic_texts

SMALL = {"d_model": 16, "d_ff": 32, "num_heads": 2, "num_layers": 1}


@pytest.fixture
def poems(tmp_path):
    lines = list(synthetic_texts(400, seed=3))[::2]
    path = tmp_path / "poems.txt"
    path.write_text("\n".join(["", *lines, "  "]) + "\n", encoding="utf-8")
    return path


def recipe_of(text, data=None, **tables):
    base = {"languages": ["zh"], "corpora": [{"text": str(text)}]}
    small = {"tokenizer": {"kind": "char"}, "model": {"family": "decoder-only", **SMALL}}
    return recipe_from_dict({"data": base | (data or {})} | small | tables)


def test_a_text_file_is_its_lines_and_a_column_is_one_of_them(tmp_path):
    path = tmp_path / "pairs.tsv"
    path.write_bytes("你好\thello\n再见\n\r\n早\tmorning\tmore\n".encode())
    problems = []
    assert list(TextFile(path, 2).pairs(problems.append)) == [
        Pair(1, "", "hello"), Pair(2, "", ""), Pair(3, "", ""), Pair(4, "", "morning")
    ]  # fmt: skip
    assert [(problem.kind, problem.line) for problem in problems] == [("missing_column", 2), ("missing_column", 3)]
    assert next(pair.target for pair in TextFile(path).pairs(problems.append)) == "你好\thello"
    assert TextFile(path, 1).identity() != TextFile(path, 2).identity()


@pytest.mark.parametrize("packed", [True, False])
def test_each_line_becomes_one_target_without_a_source(poems, tmp_path, packed):
    """<s> pieces in, pieces </s> out; every line once an epoch, and nothing of what is held out."""
    prepared = prepare(recipe_of(poems), tmp_path / "cache")
    tokenizer = prepared.tokenizer
    lines = [line for line in poems.read_text(encoding="utf-8").split("\n") if line.strip()]
    held = {pair.target for pair in prepared.validation[0].pairs}
    assert (prepared.validation[0].direction, prepared.validation[0].source) == ("zh", "")
    assert held
    assert not held & {
        tokenizer.decode(prepared.corpora[0].target[index]) for index in prepared.corpora[0].draw(1, 1).tolist()
    }
    seen = []
    for batch in one_epoch(Batches(prepared.corpora, 600, seed=1, packed=packed)):
        assert batch.source.shape == (len(batch.target_in), 0)
        assert (batch.target_in[:, 0] != SPECIAL.bos).sum() == (batch.target_out[:, 0] == SPECIAL.pad).sum()
        for row_in, row_out in zip(batch.target_in.tolist(), batch.target_out.tolist(), strict=True):
            real = [token for token in row_out if token != SPECIAL.pad]
            assert [token for token in row_in if token not in (SPECIAL.pad, SPECIAL.bos)] == [
                token for token in real if token != SPECIAL.eos
            ]
            seen += split_at_the_end(real)
    expected = [tokenizer.encode(line) for line in lines if tokenizer.decode(tokenizer.encode(line)) not in held]
    assert sorted(seen) == sorted(expected)


def split_at_the_end(ids):
    sequences, start = [], 0
    for index, token in enumerate(ids):
        if token == SPECIAL.eos:
            sequences.append(ids[start:index])
            start = index + 1
    return sequences


def test_an_encoder_alone_gets_each_line_once(poems, tmp_path):
    recipe = recipe_of(poems, model={"family": "encoder-only", **SMALL})
    prepared = prepare(recipe, tmp_path / "cache")
    batch = next(one_epoch(Batches(prepared.corpora, 600, seed=1, packed=False)))
    torch.testing.assert_close(sentences(batch), batch.target_out)


@pytest.mark.parametrize(("family", "scores"), [("decoder-only", {"loss"}), ("encoder-only", {"loss", "accuracy"})])
def test_a_run_on_plain_text_makes_a_model_without_directions(poems, tmp_path, family, scores):
    (tmp_path / "valid.tsv").write_text("x\t今天天气很好\nx\t我喜欢你\n", encoding="utf-8")
    table = f"""
[data]
languages = ["zh"]
validation = "valid.tsv"
[[data.corpora]]
text = "train.tsv"
column = 2
[tokenizer]
kind = "char"
[model]
family = "{family}"
d_model = 16
d_ff = 32
num_heads = 2
num_layers = 1
[training]
max_steps = 3
tokens_per_batch = 300
warmup_steps = 1
[validation]
every = 3
"""
    lines = [line for line in poems.read_text(encoding="utf-8").split("\n") if line.strip()]
    (tmp_path / "train.tsv").write_text("".join(f"x\t{line}\n" for line in lines), encoding="utf-8")
    (tmp_path / "recipe.toml").write_text(table, encoding="utf-8")
    result = train(tmp_path / "recipe.toml", tmp_path / "run")
    assert result.finished
    assert math.isfinite(result.best_score)
    bundle = read_bundle(result.model)
    assert (bundle.directions, bundle.languages) == ((), ("zh",))
    assert "train.tsv, column 2" in (result.model / "README.md").read_text(encoding="utf-8")
    assert train(result.run_dir / "recipe.toml", tmp_path / "run").finished  # what was resolved is a recipe again
    log = (result.run_dir / "log.jsonl").read_text(encoding="utf-8")
    assert all(f'"{score}"' in log for score in scores)
    assert "bleu" not in log


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ({"directions": ["zh-en"], "languages": ["zh", "en"]}, "expected no directions"),
        ({"languages": ["zh", "en"]}, "a text is of no language: expected language to be one of zh, en"),
        ({"corpora": [{"text": "a", "language": "fr"}]}, "a text is of 'fr'"),
        ({"corpora": [{"text": "a", "file": "b"}]}, "exactly one of the four"),
        ({"corpora": [{"text": "a", "column": 0}]}, "column = 0 of a corpus: expected 1 to 100"),
        ({"corpora": [{"text": "a", "one_way": True}]}, "one_way of a corpus is for pairs"),
        ({"corpora": [{"file": "a", "column": 1}], "languages": ["a", "b"]}, "column of a corpus is for plain text"),
        ({"corpora": [{"text": "a"}, {"file": "b"}]}, "expected all to be one or the other"),
        ({"validation": ["a", "b"]}, "expected one for each language of the corpora, zh"),
    ],
)
def test_what_does_not_go_with_a_text_is_told(data, message):
    with pytest.raises(ConfigError, match=message):
        recipe_of("a", data)


def test_families_that_learn_pairs_refuse_plain_text(poems, tmp_path):
    for model in ({"family": "transformer"}, {"preset": "lstm"}):
        with pytest.raises(ConfigError, match="expected family decoder-only or encoder-only"):
            prepare(recipe_of(poems, model=model), tmp_path / "cache")
    assert not (tmp_path / "cache").exists(), "nothing is read before that"
    with pytest.raises(ConfigError, match="a language model translates nothing, expected loss"):
        prepare(recipe_of(poems, validation={"metric": "bleu"}), tmp_path / "cache")


def test_a_text_of_empty_lines_is_told(tmp_path):
    (tmp_path / "empty.txt").write_text("\n \n", encoding="utf-8")
    with pytest.raises(DataError, match=r"empty.txt has no lines to use: 2 lines read, 0 kept, dropped: 2 empty"):
        prepare(recipe_of(tmp_path / "empty.txt"), tmp_path / "cache")
