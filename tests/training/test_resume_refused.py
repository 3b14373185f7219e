"""T5: a run goes on only with what it was made of. Another machine is remarked on, another recipe refused by name."""

import json
import re
import shutil
from pathlib import Path

import pytest
import torch

from attendo.cli.main import main
from attendo.errors import TrainingError
from attendo.files.manifest import write_manifest
from attendo.recipe.write import recipe_to_toml
from attendo.training.checkpoints import Checkpoints
from tests.training.tiny_run import result, run, tiny_recipe

STEPS = 4


def recipe(**changes):
    """Four steps of a cosine, a checkpoint after two; some keys changed."""
    training = {"max_steps": STEPS, "warmup_steps": 1, "checkpoint_every": 2, "accumulate": 1}
    training |= changes.pop("training", {})
    return tiny_recipe(**changes, training=training)


@pytest.fixture(scope="module")
def finished(tmp_path_factory):
    """A run that nobody disturbed, learning from a file so that one letter of it can change."""
    folder = tmp_path_factory.mktemp("resume")
    write_words(folder / "words.tsv")
    write_words(folder / "other.tsv", more="a")
    assert run(folder / "run", recipe(data=words(folder)))[0] == 0
    return folder / "run"


@pytest.fixture
def stopped(finished, tmp_path):
    return stopped_copy(finished, tmp_path / "run")


def stopped_copy(finished, folder):
    """The same run as it was after two steps of four."""
    shutil.copytree(finished, folder)
    shutil.rmtree(folder / "model")
    shutil.rmtree(folder / "checkpoints" / f"step-{STEPS}")
    return folder


def write_words(path, more=""):
    words = ["abc", "cab", "bca", "ab", "cc", "bab"]
    lines = [word + end for word in words for end in ["", *words, *map("".join, zip(words, words, strict=True))]]
    pairs = "".join(f"{line}\t{line[::-1]}\n" for line in lines)
    path.write_text(pairs.replace("cabbca\t", f"cabbca{more}\t"), encoding="utf-8")


def words(folder, file="words.tsv", weight=1.0):
    return {"corpora": [{"file": str(folder / file), "weight": weight}]}


def words_of(folder):
    """The data that the run in this folder was made of, as its own recipe says."""
    file = re.search(r'file = "(.*)"', (folder / "recipe.toml").read_text(encoding="utf-8"))
    return words(Path(file[1]).parent)


def named(message):
    """The keys that a refusal or remark lists: "…: a.b (1 then, 2 now); c (x then, y now). Name …"."""
    assert "\n" not in message.strip()
    return [part.split()[-1] for part in re.split(r" \([^;]* then, [^;]* now\)", message)[:-1]]


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def claim_another_machine(folder, **may):
    """As if the newest checkpoint had been made elsewhere."""
    path = Checkpoints(folder / "checkpoints").path(2)
    state = json.loads((path / "state.json").read_text(encoding="utf-8"))
    state["may"] |= may
    (path / "state.json").write_text(json.dumps(state), encoding="utf-8")
    write_manifest(path)


ELSEWHERE = {
    "attendo": "0.0.1",
    "compiled": "yes",
    "device": "NVIDIA H100",
    "precision": "bfloat16",
    "threads": "64",
    "torch": "1.13.1+cu117",
}


def test_a_run_from_another_machine_goes_on_and_is_not_called_identical(stopped, evidence):
    claim_another_machine(stopped, **ELSEWHERE)
    code, output = run(stopped, recipe(data=words_of(stopped)))
    remark = next(line for line in output.splitlines() if "not bit-identical" in line)
    assert code == 0
    assert named(remark) == sorted(ELSEWHERE)
    assert all(f"({there} then, " in remark for there in ELSEWHERE.values())
    evidence("T5", "changes of the machine that are remarked on and resumed", f"{len(ELSEWHERE)} of 6")


@pytest.mark.parametrize("change", [{"threads": 2}, {"precision": "bfloat16"}], ids=["threads", "precision"])
def test_a_recipe_may_ask_for_another_machine(change, stopped, monkeypatch):
    monkeypatch.setattr(torch, "set_num_threads", lambda count: None)  # what is asked for is enough here
    code, output = run(stopped, recipe(data=words_of(stopped), training=change))
    remark = next(line for line in output.splitlines() if "not bit-identical" in line)
    assert code == 0
    assert named(remark) == list(change)


def test_the_same_machine_is_not_remarked_on(stopped, finished):
    code, output = run(stopped, recipe(data=words_of(stopped)))
    assert code == 0
    assert "not bit-identical" not in output
    assert result(stopped) == result(finished)


def other(folder, change):
    """The recipe with one thing changed, and the keys by which a refusal must name it."""
    data = words_of(folder)
    corpus = Path(data["corpora"][0]["file"]).parent
    changes, keys = {
        "a letter of the data": ({"data": words(corpus, "other.tsv")}, ["data.corpora.0"]),
        "the weight of a corpus": ({"data": words(corpus, weight=2.0)}, ["data.corpora.0.weight"]),
        "the share held out": ({"data": {**data, "held_out": 0.2}}, ["data.held_out"]),
        "the seed": ({"training": {"seed": 2}}, ["training.seed"]),
        "the size of a batch": ({"training": {"tokens_per_batch": 150}}, ["training.tokens_per_batch"]),
        "the learning rate": ({"training": {"learning_rate": 2e-2}}, ["training.learning_rate"]),
        "the metric": ({"validation": {"metric": "bleu"}}, ["validation.metric"]),
        "the size of the vocabulary": ({"tokenizer": {"vocab_size": 275}}, ["model.vocab_size", "tokenizer"]),
        "dropout of merges": ({"tokenizer": {"bpe_dropout": 0.1}}, ["tokenizer.bpe_dropout"]),
        "the width of the model": ({"model": {"d_model": 32}}, ["model.d_model"]),
        "dropout": ({"model": {"dropout": 0.2}}, ["model.dropout"]),
        "three settings": (
            {"training": {"seed": 3, "accumulate": 2}, "model": {"d_ff": 64}},
            ["model.d_ff", "training.accumulate", "training.seed"],
        ),
    }[change]
    return recipe(**{"data": data, **changes}), keys


SETTINGS = [
    "a letter of the data", "the weight of a corpus", "the share held out", "the seed", "the size of a batch",
    "the learning rate", "the metric",
]  # fmt: skip
SHAPES = ["the size of the vocabulary", "dropout of merges", "the width of the model", "dropout", "three settings"]


def test_another_run_is_refused_by_name(finished, evidence):
    before = contents(finished)
    for change in (*SETTINGS, *SHAPES):
        changed, keys = other(finished, change)
        with pytest.raises(TrainingError) as refused:
            run(finished, changed)
        assert named(str(refused.value)) == keys, change
        assert str(finished) in str(refused.value)
        assert ("--force" in str(refused.value)) == (change in SETTINGS), change
    assert contents(finished) == before
    count = len(SETTINGS) + len(SHAPES)
    evidence(
        "T5", "changes of data, settings, tokenizer, model: refused, exactly their keys named", f"{count} of {count}"
    )


def test_force_goes_on_with_other_data_and_settings(finished, tmp_path, evidence):
    for number, change in enumerate(SETTINGS):
        folder = stopped_copy(finished, tmp_path / str(number))
        changed, keys = other(folder, change)
        code, output = run(folder, changed, force=True)
        remark = next(line for line in output.splitlines() if "resuming although" in line)
        assert code == 0
        assert named(remark) == keys
        assert Checkpoints(folder / "checkpoints").steps()[-1] == STEPS
    evidence("T5", "changes of data and settings that --force resumes", f"{len(SETTINGS)} of {len(SETTINGS)}")


def test_force_never_goes_on_with_another_tokenizer_or_model(finished, evidence):
    before = contents(finished)
    for change in SHAPES:
        with pytest.raises(TrainingError, match="made of something else"):
            run(finished, other(finished, change)[0], force=True)
    assert contents(finished) == before
    evidence("T5", "changes of tokenizer and model that --force resumes", f"0 of {len(SHAPES)}")


def test_more_steps_go_on_where_the_schedule_has_no_end(tmp_path):
    noam = {"schedule": "noam", "learning_rate": 1.0}
    assert run(tmp_path / "whole", recipe(training={**noam, "max_steps": 4}))[0] == 0
    assert run(tmp_path / "longer", recipe(training={**noam, "max_steps": 2}))[0] == 0
    code, output = run(tmp_path / "longer", recipe(training={**noam, "max_steps": 4}))
    assert code == 0
    assert "made of something else" not in output
    longer, whole = result(tmp_path / "longer"), result(tmp_path / "whole")
    assert (longer["tensors"], longer["steps"]) == (whole["tensors"], whole["steps"])


def test_more_steps_are_refused_where_the_schedule_ends_with_them(finished):
    with pytest.raises(TrainingError) as refused:
        run(finished, recipe(data=words_of(finished), training={"max_steps": 6}))
    assert named(str(refused.value)) == ["training.max_steps"]


def test_the_command_says_it_in_one_line(finished, tmp_path, capsys):
    file = tmp_path / "recipe.toml"
    file.write_text(recipe_to_toml(other(finished, "three settings")[0]), encoding="utf-8")
    with pytest.raises(SystemExit) as left:
        main(["train", str(file), "--run-dir", str(finished)])
    last = capsys.readouterr().err.splitlines()[-1]
    assert left.value.code == 1
    assert last.startswith("attendo: the run in")
    assert named(last) == ["model.d_ff", "training.accumulate", "training.seed"]
