"""config.json may say which scores are poor; what it says may be hostile."""

import json
import shutil
from pathlib import Path

import pytest

from attendo.errors import InputError
from attendo.files.manifest import write_manifest
from attendo.model_folder.bundle import CONFIG, read_bundle
from attendo.model_folder.optional_keys import DoubtThresholds

GOLDEN = Path(__file__).parents[1] / "golden" / "model-format-1"
DIRECTION = read_bundle(GOLDEN).directions[0]
NAME = "-".join(DIRECTION)


def with_doubt(folder, doubt):
    shutil.copytree(GOLDEN, folder)
    table = json.loads((folder / CONFIG).read_text(encoding="utf-8"))
    (folder / CONFIG).write_text(json.dumps(table | {"doubt": doubt}), encoding="utf-8")
    write_manifest(folder)
    return folder


def test_a_model_without_thresholds_has_none():
    assert read_bundle(GOLDEN).doubt is None


def test_what_is_written_is_read(tmp_path):
    thresholds = DoubtThresholds(below={DIRECTION: -0.35}, extra_tokens=4.0)
    assert read_bundle(with_doubt(tmp_path / "model", thresholds.to_dict())).doubt == thresholds


@pytest.mark.parametrize(
    "doubt",
    [
        None,
        [],
        -0.3,
        {},
        {"below": {NAME: -0.3}},
        {"extra_tokens": 3, "below": {}},
        {"extra_tokens": 3, "below": [NAME]},
        {"extra_tokens": 3, "below": {NAME: -0.3}, "more": 1},
        {"extra_tokens": 3, "below": {"xx-yy": -0.3}},
        {"extra_tokens": 3, "below": {"": -0.3}},
        {"extra_tokens": 3, "below": {"\x1b[31m" * 1_000: -0.3}},
        {"extra_tokens": 3, "below": {NAME: 0.1}},
        {"extra_tokens": 3, "below": {NAME: -101}},
        {"extra_tokens": 3, "below": {NAME: float("nan")}},
        {"extra_tokens": 3, "below": {NAME: float("-inf")}},
        {"extra_tokens": 3, "below": {NAME: True}},
        {"extra_tokens": 3, "below": {NAME: "-0.3"}},
        {"extra_tokens": 3, "below": {NAME: -(10**400)}},
        {"extra_tokens": -1, "below": {NAME: -0.3}},
        {"extra_tokens": 1e9, "below": {NAME: -0.3}},
        {"extra_tokens": 10**5_000, "below": {NAME: -0.3}},
        {"extra_tokens": False, "below": {NAME: -0.3}},
        {"extra_tokens": 3, "below": {f"a{number}-b": -0.3 for number in range(10_000)}},
    ],
)
def test_what_does_not_fit_is_refused_in_one_short_line(tmp_path, doubt):
    try:
        folder = with_doubt(tmp_path / "model", doubt)
    except ValueError:  # a number of so many digits is not even written
        return
    with pytest.raises(InputError) as found:
        read_bundle(folder)
    assert "doubt" in str(found.value) or "JSON" in str(found.value)
    assert "\n" not in str(found.value)
    assert "\x1b" not in str(found.value)
    assert len(str(found.value)) < 400
