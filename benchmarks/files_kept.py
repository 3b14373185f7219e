"""What a translation keeps of a file: ours beside argos-translate-files, which LibreTranslate calls, on our samples.

    python -m benchmarks.files_kept --other /path/to/its/python

Both get the same translation, an exchange of letters (a for b, b for a), which needs no model and can be looked for in
the result. Of each format: how many texts say the new thing, how many tags of the source are still there, how many of
the parts of an archive that hold no text have the same bytes and compression; and how many files are the same, byte for
byte, if the translation changes nothing. The samples are ours, and so is the list of what is text: a rival can lose
here by our choice of cases, so each is a file of a kind that its own documentation promises to translate.
"""

import argparse
import re
import subprocess
import zipfile
from collections import Counter
from html import unescape
from io import BytesIO
from os import environ
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from attendo.documents.document import Document, Writing
from attendo.documents.find import finder_for
from benchmarks.files_kept_by_others import exchanged

SAMPLES = Path(__file__).parent.parent / "tests" / "documents" / "samples"
FORMATS = ("docx", "odt", "pptx", "epub", "html", "srt")
TAG = re.compile(r"<[^<>]*>")
KEPT = re.compile(r"<[^<>]*>|&[^;\s]{1,32};|\{[^{}]*\}")
KEPT_TAG = re.compile(r"<[^<>]*>|\{[^{}]*\}")
VALUE = re.compile(r"""=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")  # of an attribute, which people read, too
SAME = Writing("en", "en")


class Kept(NamedTuple):
    """Counts, each with what it is out of."""

    texts: tuple[int, int]
    tags: tuple[int, int]
    parts: tuple[int, int]
    same: tuple[int, int]

    def plus(self, other: "Kept") -> "Kept":
        return Kept(*((one[0] + two[0], one[1] + two[1]) for one, two in zip(self, other, strict=True)))


NOTHING = Kept((0, 0), (0, 0), (0, 0), (0, 0))


def changed(text: str) -> str:
    """A text with its letters exchanged outside of tags."""
    end, pieces = 0, []
    for kept in KEPT.finditer(text):
        pieces += [exchanged(text[end : kept.start()]), kept.group()]
        end = kept.end()
    return "".join([*pieces, exchanged(text[end:])])


def ours(document: Document, *, same: bool) -> bytes:
    return document.written(
        change
        for index, segment in enumerate(document.segments)
        if not segment.kept
        for change in document.changes(index, segment.text if same else changed(segment.text), SAME)
    )


def parts_of(data: bytes) -> dict[str, tuple[bytes, int]]:
    """With how each is compressed."""
    if not data.startswith(b"PK"):
        return {"": (data, 0)}
    with zipfile.ZipFile(BytesIO(data)) as file:
        return {info.filename: (file.read(info), info.compress_type) for info in file.infolist()}


def shown(text: str) -> str:
    return re.sub(r"\s", "", unescape(TAG.sub("", text)))


def pieces_of(text: str) -> list[str]:
    """What a text says anew, between its tags: a tag may stand for something that has a text of its own."""
    return [shown(changed(piece)) for piece in KEPT_TAG.split(text) if changed(piece) != piece]


def kept_of(source: bytes, result: bytes, again: bytes, document: Document) -> Kept:
    before, after = parts_of(source), parts_of(result)
    touched = {span.part for segment in document.segments for span in segment.spans}
    new = {name: after[name][0].decode(errors="replace") for name in touched if name in after}
    whole = "\n".join(new.values())
    values = ["".join(found) for found in VALUE.findall(whole)]
    said = shown(whole + "\n".join(values))
    texts = [segment.text for segment in document.segments if changed(segment.text) != segment.text]
    old_tags, new_tags = (
        Counter(re.findall(r"<(/?[\w:-]+)", "\n".join(text)))
        for text in ([before[name][0].decode() for name in sorted(touched)], list(new.values()))
    )
    others = [name for name in before if name not in touched]
    return Kept(
        (sum(all(piece in said for piece in pieces_of(text)) for text in texts), len(texts)),
        (sum((old_tags & new_tags).values()), sum(old_tags.values())),
        (sum(after.get(name) == before[name] for name in others), len(others)),
        (int(again == source), 1),
    )


def read(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""


def table(other: str) -> str:
    rows = ["| format | whose | texts translated | tags kept | other parts kept | same bytes, nothing translated |"]
    rows.append("|---|---|---|---|---|---|")
    files = {key: sorted((SAMPLES / key).iterdir()) for key in FORMATS}
    with TemporaryDirectory() as folder:
        for name, environment in (("changed", environ), ("same", {**environ, "SAME": "1"})):
            script = Path(__file__).with_name("files_kept_by_others.py")
            every = [str(path) for paths in files.values() for path in paths]
            subprocess.run([other, "-P", str(script), f"{folder}/{name}", *every], check=True, env=dict(environment))
        for key, paths in files.items():
            find = finder_for(key)
            assert find is not None
            totals = {"attendo": NOTHING, "argos-translate-files": NOTHING}
            for path in paths:
                source = path.read_bytes()
                document = find(source, path.name)
                theirs, again = (read(Path(folder, name, key, path.name)) for name in ("changed", "same"))
                results = (ours(document, same=False), ours(document, same=True)), (theirs, again)
                for whose, (result, same) in zip(totals, results, strict=True):
                    totals[whose] = totals[whose].plus(kept_of(source, result, same, document))
            for whose, kept in totals.items():
                counts = " | ".join(f"{one:,} of {every:,}" if every else "–" for one, every in kept)
                rows.append(f"| {key} | {whose} | {counts} |")
    return "\n".join(rows)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--other", required=True, help="a Python that has argos-translate-files")
    print(table(parser.parse_args().other))
