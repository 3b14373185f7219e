"""The manifest: every file is there, is what was written, and is alone."""

import json
import os

import pytest

from attendo.errors import InputError
from attendo.files.manifest import check_manifest, read_manifest, sha256, write_manifest

FILES = ("a.txt", "b.bin")


@pytest.fixture
def folder(tmp_path):
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "a.txt").write_text("我爱你\n", encoding="utf-8")
    (folder / "b.bin").write_bytes(bytes(range(256)))
    write_manifest(folder)
    return folder


def test_what_was_written_is_accepted(folder):
    assert check_manifest(folder, FILES) == sha256(folder / "manifest.json")
    assert read_manifest(folder)["b.bin"][0] == 256


def test_equal_folders_have_equal_manifests(folder, tmp_path):
    other = tmp_path / "other"
    other.mkdir()
    for name in reversed(FILES):
        (other / name).write_bytes((folder / name).read_bytes())
    write_manifest(other)
    assert check_manifest(other, FILES) == check_manifest(folder, FILES)


def test_an_optional_file_may_be_there(folder):
    assert check_manifest(folder, ["a.txt"], optional=["b.bin", "c"])
    with pytest.raises(InputError, match=r"'b\.bin' does not belong there"):
        check_manifest(folder, ["a.txt"])


def test_an_optional_file_that_was_listed_cannot_go(folder):
    (folder / "b.bin").unlink()
    with pytest.raises(InputError, match=r"b\.bin is missing"):
        check_manifest(folder, ["a.txt"], optional=["b.bin"])


def test_hidden_files_are_of_the_operating_system(folder):
    (folder / ".DS_Store").write_bytes(b"x")
    check_manifest(folder, FILES)


def damage(folder, how):
    a, b = folder / "a.txt", folder / "b.bin"
    match how:
        case "missing":
            b.unlink()
        case "extra":
            (folder / "c").write_text("")
        case "renamed":
            b.rename(folder / "c")
        case "other case":
            b.rename(folder / "B.bin")
        case "swapped":
            a.rename(folder / "c")
            b.rename(a)
            (folder / "c").rename(b)
        case "linked":
            b.rename(folder.parent / "b.bin")
            b.symlink_to(folder.parent / "b.bin")
        case "linked to nothing":
            b.unlink()
            b.symlink_to(folder / "nowhere")
        case "a folder":
            b.unlink()
            b.mkdir()
        case "a pipe":
            b.unlink()
            os.mkfifo(b)
        case "longer":
            b.write_bytes(b.read_bytes() + b"\0")
        case "shorter":
            b.write_bytes(b.read_bytes()[:-1])
        case "empty":
            b.write_bytes(b"")
        case "changed":
            b.write_bytes(bytes(255) + b"x")
        case "no manifest":
            (folder / "manifest.json").unlink()


HOW = [
    "missing", "extra", "renamed", "other case", "swapped", "linked", "linked to nothing", "a folder", "a pipe",
    "longer", "shorter", "empty", "changed", "no manifest",
]  # fmt: skip


@pytest.mark.parametrize("how", HOW)
def test_a_changed_folder_is_refused(folder, how):
    damage(folder, how)
    with pytest.raises(InputError) as caught:
        check_manifest(folder, FILES)
    assert str(folder) in str(caught.value)
    assert "\n" not in str(caught.value)


ENTRY = {"bytes": 7, "sha256": "0" * 64}


@pytest.mark.parametrize(
    "table",
    [
        None, [], 1, {}, {"format": 1}, {"files": {}}, {"format": 1, "files": []}, {"format": 2, "files": {}},
        {"format": 1, "files": {"a.txt": ENTRY}},
        {"format": 1, "files": {"a.txt": ENTRY, "b.bin": ENTRY}},
        {"format": 1, "files": {"a.txt": ENTRY, "b.bin": {**ENTRY, "more": 1}}},
        {"format": 1, "files": {"a.txt": ENTRY, "b.bin": {"bytes": 7}}},
        {"format": 1, "files": {"a.txt": ENTRY, "b.bin": {**ENTRY, "bytes": "7"}}},
        {"format": 1, "files": {"a.txt": ENTRY, "b.bin": {**ENTRY, "sha256": 7}}},
        {"format": 1, "files": {"a.txt": ENTRY, "b.bin": ENTRY, "../../etc/passwd": ENTRY}},
        {"format": 1, "files": {"a.txt": ENTRY, "b.bin": ENTRY, "..": ENTRY}},
        {"format": 1, "files": {"a.txt": ENTRY, "b.bin": ENTRY, "manifest.json": ENTRY}},
    ],
)  # fmt: skip
def test_a_manifest_that_is_none_is_one_sentence(folder, table):
    (folder / "manifest.json").write_text(json.dumps(table))
    with pytest.raises(InputError) as caught:
        check_manifest(folder, FILES)
    assert len(str(caught.value)) - len(str(folder)) < 250


@pytest.mark.parametrize("raw", [b"", b"{", b"\xff", b"[" * 100_000, b"1" * 5000, b" " * 1_000_001])
def test_a_manifest_that_is_no_json_is_one_sentence(folder, raw):
    (folder / "manifest.json").write_bytes(raw)
    with pytest.raises(InputError):
        check_manifest(folder, FILES)


def test_sizes_are_looked_at_before_any_file_is_read(folder, monkeypatch):
    (folder / "b.bin").write_bytes(b"longer" * 1000)
    monkeypatch.setattr("attendo.files.manifest.sha256", lambda path: pytest.fail(f"{path} was read"))
    with pytest.raises(InputError, match="its manifest says 256"):
        check_manifest(folder, FILES)
