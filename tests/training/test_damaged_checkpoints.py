"""T6, T7: a damaged checkpoint is refused before it is used; the run goes back to the one before, and says so."""

import errno
import json
import os
import random
import shutil

import pytest
import torch

from attendo.errors import InputError, TrainingError
from attendo.files import manifest
from attendo.files.manifest import check_manifest, write_manifest
from attendo.model.build import build_model
from attendo.model.config import config_from_dict
from attendo.model_folder import weights
from attendo.runs.run_folder import RunFolder
from attendo.runs.train import begin
from attendo.training.checkpoints import AVERAGE, FILES, LARGEST_STATE, Checkpoints, read_state
from attendo.training.state import restore_random
from tests.training.tiny_run import result, run, tiny_recipe

ALL = (*FILES, AVERAGE, "manifest.json")
RECIPE = tiny_recipe(
    training={"max_steps": 4, "warmup_steps": 1, "checkpoint_every": 1, "keep_last": 4, "accumulate": 1},
    validation={"every": 2, "max_pairs": 2},
)


@pytest.fixture
def stopped(finished, tmp_path):
    """The same run as it was after step 3, with checkpoints of steps 1, 2 and 3."""
    folder = tmp_path / "run"
    shutil.copytree(finished, folder)
    shutil.rmtree(folder / "model")
    shutil.rmtree(folder / "checkpoints" / "step-4")
    return folder


@pytest.fixture
def never_loaded(monkeypatch):
    """What is refused must be refused before a tensor of it is read."""

    def load(path):
        raise AssertionError(f"{path} was read")

    monkeypatch.setattr(weights, "load_file", load)


def truncated(path):
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def emptied(path):
    path.write_bytes(b"")


def garbled(path):
    path.write_bytes(random.Random(1).randbytes(path.stat().st_size))


def missing(path):
    path.unlink()


def swapped(path):
    shutil.copy(path.parent.parent / "step-1" / path.name, path)


DAMAGES = (truncated, emptied, garbled, missing, swapped)


def contents(folder):
    return {path.relative_to(folder): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def model_of(folder):
    table = json.loads((folder / "config.json").read_text(encoding="utf-8"))
    return build_model(config_from_dict(table["model"]))


def take_up(folder):
    """All that a run does before its first step."""
    return begin(RECIPE, RunFolder(folder), callbacks=(), force=False, on_progress=lambda name, pairs: None)


def is_refused(path):
    try:
        check_manifest(path, FILES, [AVERAGE])
    except InputError:
        return True
    return False


@pytest.mark.parametrize("name", ALL)
def test_a_file_cut_off_anywhere_is_refused(name, stopped, never_loaded, evidence):
    file = stopped / "checkpoints" / "step-3" / name
    whole = file.read_bytes()
    offsets = sorted({*range(0, len(whole), len(whole) // 50), 1, 7, 8, 9, len(whole) - 2, len(whole) - 1})
    accepted = []
    for offset in offsets:
        file.write_bytes(whole[:offset])
        if not is_refused(file.parent):
            accepted.append(whole[offset:])
    # The last line end of the manifest is all that can be cut off without a loss.
    assert accepted == ([b"\n"] if name == "manifest.json" else [])
    evidence("T6", f"{name} cut off with a loss, and accepted", f"0 of {len(offsets) - len(accepted)}")


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("damage", DAMAGES)
def test_every_damage_leads_back_to_the_checkpoint_before(name, damage, stopped, never_loaded, caplog):
    folder = stopped / "checkpoints"
    damage(folder / "step-3" / name)
    damaged = contents(folder / "step-3")
    with pytest.raises(AssertionError, match="step-2"):  # the first of which a tensor is read
        Checkpoints(folder).latest(model_of(stopped), accept=lambda fingerprint: None)
    (message,) = caplog.messages
    assert message.startswith("checkpoint step-3 is damaged (")
    assert message.endswith("; going back to step-2")
    assert contents(folder / "damaged-step-3") == damaged
    assert Checkpoints(folder).steps() == [1, 2]


@pytest.mark.parametrize(("name", "damage"), list(zip(ALL, DAMAGES, strict=True)))
def test_a_run_that_went_back_ends_as_if_never_stopped(name, damage, stopped, finished, evidence):
    damage(stopped / "checkpoints" / "step-3" / name)
    code, output = run(stopped, RECIPE)
    assert code == 0
    assert "checkpoint step-3 is damaged" in output
    assert "going back to step-2" in output
    assert result(stopped) == result(finished)
    assert (stopped / "checkpoints" / "damaged-step-3").is_dir()
    evidence("T6", f"run that went back because {name} was {damage.__name__}", "bit-identical end")


def test_two_damaged_in_a_row_lead_back_by_two(stopped, finished):
    truncated(stopped / "checkpoints" / "step-3" / "model.safetensors")
    garbled(stopped / "checkpoints" / "step-2" / "state.json")
    code, output = run(stopped, RECIPE)
    assert code == 0
    assert "going back to step-2" in output
    assert "going back to step-1" in output
    assert result(stopped) == result(finished)


def test_a_file_that_the_disk_cannot_read_is_damage_too(stopped, monkeypatch):
    def read(path, real=manifest.sha256):
        if path.parent.name == "step-3":
            raise OSError(errno.EIO, "Input/output error", str(path))
        return real(path)

    monkeypatch.setattr(manifest, "sha256", read)
    assert take_up(stopped).progress.step == 2


def test_the_checkpoint_of_another_step_is_refused(stopped):
    """Whole and with its manifest, but under a wrong name."""
    shutil.rmtree(stopped / "checkpoints" / "step-3")
    shutil.copytree(stopped / "checkpoints" / "step-1", stopped / "checkpoints" / "step-3")
    assert take_up(stopped).progress.step == 2


def test_a_thousand_single_flipped_bits_are_all_found(stopped, never_loaded, evidence):
    """Drawn over all bytes of all files of a checkpoint alike."""
    path = stopped / "checkpoints" / "step-3"
    files = [(path / name, (path / name).read_bytes()) for name in ALL]
    sizes = [len(whole) for _, whole in files]
    draw, flips, undetected = random.Random(7), 1000, []
    for _ in range(flips):
        file, whole = draw.choices(files, sizes)[0]
        undetected += unnoticed(file, whole, [draw.randrange(len(whole) * 8)])
    assert undetected == []
    evidence("T7", "single flipped bits of a checkpoint that go unnoticed", f"{len(undetected)} of {flips:,}")


def test_every_flipped_bit_of_a_manifest_is_found(tmp_path, evidence):
    """The one file that no checksum covers: whatever changes in it changes what it says."""
    for name in (*FILES, AVERAGE):
        (tmp_path / name).write_bytes(name.encode())
    write_manifest(tmp_path)
    file = tmp_path / "manifest.json"
    whole = file.read_bytes()
    assert not is_refused(tmp_path)
    undetected = unnoticed(file, whole, range(len(whole) * 8))
    assert undetected == []
    evidence("T7", "bits of manifest.json, each flipped alone, that go unnoticed", f"0 of {len(whole) * 8:,}")


def unnoticed(file, whole, bits):
    found = []
    with file.open("r+b", buffering=0) as disk:
        for bit in bits:
            place = bit // 8
            os.pwrite(disk.fileno(), bytes([whole[place] ^ 1 << bit % 8]), place)
            if not is_refused(file.parent):
                found.append((file.name, bit))
            os.pwrite(disk.fileno(), whole[place : place + 1], place)
    return found


def test_where_all_are_damaged_nothing_is_deleted_and_nothing_begun_anew(stopped, evidence):
    for step, name in ((1, "state.json"), (2, "model.safetensors"), (3, "manifest.json")):
        emptied(stopped / "checkpoints" / f"step-{step}" / name)
    before = contents(stopped)
    for _ in range(2):  # the same line again must not do in silence what the first refused
        with pytest.raises(TrainingError, match=r"no checkpoint in .* can be read"):
            run(stopped, RECIPE)
    after = contents(stopped)
    assert {str(path).replace("damaged-", ""): data for path, data in after.items()} == {
        str(path): data for path, data in before.items()
    }
    evidence("T6", "runs begun anew in silence, or files deleted, where every checkpoint is damaged", "0 of 2 starts")


HUGE = 10**400
HOSTILE = {
    "is a list": lambda state: [state],
    "is null": lambda state: None,
    "is a number": lambda state: 1.0,
    "has no format": lambda state: {**state, "format": None},
    "has another format": lambda state: {**state, "format": 2},
    "has a huge format": lambda state: {**state, "format": HUGE},
    "has no progress": lambda state: {**state, "progress": None},
    "has progress of nothing": lambda state: {**state, "progress": {}},
    "has random of numbers": lambda state: {**state, "random": {"cpu": 5}},
    "has no random": lambda state: {**state, "random": {}},
    "has random of no digits": lambda state: {**state, "random": {"cpu": "zz"}},
    "has random too short": lambda state: {**state, "random": {"cpu": "00"}},
    "has random of zeros": lambda state: {**state, "random": {"cpu": "0" * len(state["random"]["cpu"])}},
    "has must of a list": lambda state: {**state, "must": ["seed"]},
    "has must of tables": lambda state: {**state, "must": {"training.seed": {"a": 1}}},
    "has may of a text": lambda state: {**state, "may": "all"},
}
NUMBERS = {"text": "6", "null": None, "true": True, "negative": -1, "half": 0.5, "list": [6], "NaN": float("nan"),
           "infinite": float("inf"), "huge": HUGE, "deep": json.loads("[" * 200 + "]" * 200)}  # fmt: skip


def hostile_states(state):
    """What no run writes: (what it is, the text of a state.json)."""
    for what, change in HOSTILE.items():
        yield what, json.dumps(change(state))
    for name in ("step", "target_tokens", "skipped", "skipped_in_a_row"):
        for what, value in NUMBERS.items():
            yield f"{name} is {what}", with_progress(state, **{name: value})
    for what in ("text", "null", "true", "negative", "list", "NaN", "infinite", "huge", "deep"):
        yield f"seconds is {what}", with_progress(state, seconds=NUMBERS[what])
    for what in ("text", "null", "half", "list", "NaN", "deep"):
        yield f"halved is {what}", with_progress(state, halved=NUMBERS[what])
    for what, value in NUMBERS.items():
        yield f"the position is {what}", with_progress(state, position=value)
        yield f"the epoch is {what}", with_progress(state, position={"epoch": value, "batch": 0})
        yield f"the batch is {what}", with_progress(state, position={"epoch": 1, "batch": value})
        yield f"the history is {what}", with_progress(state, history=value)
        if what not in ("negative", "half", "NaN", "infinite"):  # scores may be any number
            yield f"a score is {what}", with_progress(state, history={"2": value})
    for step in ("", "-2", "2.0", "two", "9" * 5000, "9" * 400):
        yield f"a validated step is {step[:5]!r}", with_progress(state, history={step: 1.0})
    yield "an unknown key", with_progress(state, more=1)
    text = with_progress(state, step="HERE")
    for depth in (900, 950, 980, 990, 995, 1000, 100_000):
        yield f"a step {depth} lists deep", text.replace('"HERE"', "[" * depth + "]" * depth)
        yield f"a format {depth} lists deep", '{"format": ' + "[" * depth + "]" * depth + "}"
    yield "a step of 5,000 digits", text.replace('"HERE"', "9" * 5000)
    yield "no JSON", "{"
    yield "nothing", ""
    yield "too large", json.dumps({**state, "more": "x" * LARGEST_STATE})


def with_progress(state, **changes):
    return json.dumps({**state, "progress": {**state["progress"], **changes}})


def is_believed(path):
    try:
        _, random_states, _ = read_state(path)
        restore_random(random_states, torch.device("cpu"))
    except InputError:
        return False
    return True


def test_a_state_that_no_run_wrote_is_refused(stopped, evidence):
    """Nothing of it crashes the reader, and nothing is believed."""
    path = stopped / "checkpoints" / "step-3"
    state = json.loads((path / "state.json").read_text(encoding="utf-8"))
    assert is_believed(path)
    believed, count = [], 0
    for what, text in hostile_states(state):
        (path / "state.json").write_text(text, encoding="utf-8")
        count += 1
        if is_believed(path):
            believed.append(what)
    assert believed == []
    evidence("T6", "hostile states that crash the reader or are believed", f"0 of {count}")


def test_a_state_that_no_run_wrote_leads_back_even_with_a_fitting_manifest(stopped):
    path = stopped / "checkpoints" / "step-3"
    state = json.loads((path / "state.json").read_text(encoding="utf-8"))
    (path / "state.json").write_text(with_progress(state, seconds=HUGE), encoding="utf-8")
    write_manifest(path)
    assert take_up(stopped).progress.step == 2


def test_tensors_that_no_run_wrote_are_refused(stopped):
    """Another step's optimiser in the place of the weights, with a manifest that fits."""
    path = stopped / "checkpoints" / "step-3"
    shutil.copy(path / "optimizer.safetensors", path / "model.safetensors")
    write_manifest(path)
    with pytest.raises(InputError, match="does not hold the tensors it should"):
        run(stopped, RECIPE)
