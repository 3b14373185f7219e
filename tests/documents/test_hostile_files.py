"""Documents made to harm are refused in one line, in little time and memory, and nothing is written (F6).

A process of its own reads them one after another as `attendo translate` does, up to the first text that would be
translated, and tells what each cost. The archives of a stranger: nothing of them is ever laid on the disk.
"""

import json
import random
import struct
import subprocess
import sys
import zipfile
import zlib
from io import BytesIO
from pathlib import Path

from tests.documents.laws import samples
from tests.documents.office_parts import content_types, zipped
from tests.documents.test_zip_parts import patched

ROOT = Path(__file__).parents[2]
SLOWEST = 1_000  # milliseconds of processor time
MOST_MEMORY = 300  # megabytes beyond what the program itself takes
ADDRESSES = 3_000_000_000  # bytes that the process may ask for at all
WORD = {"word/document.xml": "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"}
ENTITIES = '<!DOCTYPE a [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]><a>&b;</a>'
OUTSIDE = '<!DOCTYPE a [<!ENTITY a SYSTEM "file:///etc/passwd">]><a>&a;</a>'
CHILD = """
import json, resource, sys, time
from pathlib import Path
from types import SimpleNamespace
resource.setrlimit(resource.RLIMIT_AS, (int(sys.argv[2]),) * 2)
from attendo.documents import file_translation
from attendo.documents.find import finder_for
from attendo.errors import AttendoError

for key in ("docx", "epub", "html", "json", "md", "odt", "po", "pptx", "srt", "tmx", "vtt", "xliff", "yaml"):
    finder_for(key)

class Reached(Exception):
    pass

class Preparer:
    asked = 0
    def languages(self, text, to, from_):
        self.asked += 1
        if self.asked > 1:
            raise Reached
        return SimpleNamespace(to=to, source=from_)

def memory(key):
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(key)) / 1024

for path in sorted(Path(sys.argv[1]).iterdir()):
    work = file_translation.FileTranslation(source=path, target=path.with_name("out"), to="de", from_="en")
    translator = SimpleNamespace(preparer=Preparer())
    Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew; ru_maxrss would begin with our parent's
    before, started = memory("VmRSS"), time.process_time()
    try:
        with work.opened() as stream:
            work.run(translator, stream, None, None)
    except AttendoError as error:
        said = f"refused: {error}"
    except Reached:
        said = "read"
    print(json.dumps([path.name, said, 1000 * (time.process_time() - started), memory("VmHWM") - before]))
"""


def word(text, **more):
    return zipped({"[Content_Types].xml": content_types(WORD), "word/document.xml": text, **more})


def odt(**parts):
    named = {"mimetype": "application/vnd.oasis.opendocument.text"}
    return zipped(named | {f"{name}.xml": data for name, data in parts.items()}, stored=("mimetype",))


def with_entry(name, *, base=None, data=b"x", mode=0):
    """A Word document, or another, with one part more, of this name."""
    kept = BytesIO(base or word("<a/>"))
    entry = zipfile.ZipInfo("n" * len(name))
    entry.external_attr = mode << 16
    with zipfile.ZipFile(kept, "a") as file:
        file.writestr(entry, data)
    return kept.getvalue().replace(entry.filename.encode(), name.encode())


def packed_part(piece, times):
    """A document whose text is so many times a piece, without packing it more than once."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    body = (packer.compress(piece) + packer.flush(zlib.Z_FULL_FLUSH)) * times + b"\x03\x00"
    checksum = 0
    for _ in range(times):
        checksum = zlib.crc32(piece, checksum)
    data = with_entry("content.xml", base=odt(), data=b"")
    for signature, method, sizes in ((b"PK\x03\x04", 8, 14), (b"PK\x01\x02", 10, 16)):
        at = data.rindex(signature)
        for place, new in (
            (at + method, struct.pack("<H", zipfile.ZIP_DEFLATED)),
            (at + sizes, struct.pack("<3L", checksum, len(body), len(piece) * times)),
        ):
            data = data[:place] + new + data[place + len(new) :]
    at = data.rindex(b"PK\x03\x04") + 30 + len("content.xml")
    data = data[:at] + body + data[at:]
    directory = struct.unpack_from("<L", data, len(data) - 6)[0] + len(body)
    return data[:-6] + struct.pack("<L", directory) + data[-2:]


def many_tags():
    """Just under the ratio at which an archive is refused unread, and nothing but tags: some 37 MB of them."""
    chance = random.Random(0)
    noise = bytes(chance.choice(b"abcdefghijklmnop") for _ in range(10_000))
    return packed_part(b"<a>" + noise + b"<b/>" * 230_000 + b"</a>", 40)


def overlapping():
    """Two entries of the directory share the bytes of one."""
    data = word("<a/>")
    second = data.rindex(b"PK\x01\x02")
    return data[: second + 42] + struct.pack("<L", 0) + data[second + 46 :]


def lying():
    """The directory says 100 bytes, and there are a million."""
    data = odt(content=b" " * 1_000_000)
    for signature, offset in ((b"PK\x01\x02", 24), (b"PK\x03\x04", 22)):
        at = data.rindex(signature) + offset
        data = data[:at] + struct.pack("<L", 100) + data[at + 4 :]
    return data


def aliases():
    """Each line names the one before nine times: 9^9 words, if somebody followed them."""
    lines = ["a0: &a0 a word"] + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 10)]
    return "\n".join(lines).encode()


REFUSED = {
    "entities.docx": (lambda: word(ENTITIES), "entities"),
    "entities.tmx": (ENTITIES.replace("<a>", "<tmx>").replace("</a>", "</tmx>").encode, "entities"),
    "entities.xlf": (ENTITIES.replace("<a>", "<xliff>").replace("</a>", "</xliff>").encode, "entities"),
    "entities.odt": (lambda: odt(content=ENTITIES), "entities"),
    "entity_of_a_file.docx": (lambda: word(OUTSIDE), "entities"),
    "entity_of_a_file.xlf": (OUTSIDE.encode, "entities"),
    "bomb_of_200_MB.odt": (lambda: packed_part(b" " * 1_000_000, 200), "too large"),
    "bomb_of_tags.odt": (many_tags, "tags"),
    "bomb_that_lies.odt": (lying, "damaged"),
    "overlapping.docx": (overlapping, "overlaps"),
    "parts_10,000.docx": (lambda: word("<a/>", **{f"{n}": "" for n in range(9_998)}), "10,000 parts"),
    "parts_a_million.docx": (lambda: patched(word("<a/>"), b"PK\x05\x06", 8, "<2H", 0xFFFF, 0xFFFF), "zip64"),
    "path_up.docx": (lambda: with_entry("../../evil"), "leads elsewhere"),
    "path_up_inside.epub": (lambda: with_entry("a/../../../evil"), "leads elsewhere"),
    "path_absolute.docx": (lambda: with_entry("/evil"), "leads elsewhere"),
    "path_of_a_drive.docx": (lambda: with_entry("C:/evil"), "leads elsewhere"),
    "path_of_windows.pptx": (lambda: with_entry("..\\evil"), "leads elsewhere"),
    "link.docx": (lambda: with_entry("evil", data=b"/etc/passwd", mode=0o120777), "link or a device"),
    "device.docx": (lambda: with_entry("evil", mode=0o020666), "link or a device"),
    "pipe.docx": (lambda: with_entry("evil", mode=0o010666), "link or a device"),
    "same_name.docx": (lambda: with_entry("word/document.xml"), "two parts of one name"),
    "same_name_but_capitals.docx": (lambda: with_entry("Word/Document.xml"), "two parts of one name"),
    "encrypted.docx": (lambda: patched(word("<a/>"), b"PK\x01\x02", 8, "<H", 1), "encrypted"),
    "deep.docx": (lambda: word("<a>" * 100_000 + "</a>" * 100_000), "deep"),
    "deep.tmx": (lambda: b"<tmx>" * 100_000 + b"</tmx>" * 100_000, "deep"),
    "deep.json": (lambda: b"[" * 100_000 + b"]" * 100_000, "deep"),
    "deep.yaml": (lambda: b"a: " + b"[" * 100_000 + b"]" * 100_000, "deep"),
}
HARMLESS = {
    "deep.html": lambda: b"<p>" + b"<div>" * 20_000 + b"a word" + b"</div>" * 20_000,
    "deep.md": lambda: b">" * 20_000 + b" a word\n\n" + b"[" * 20_000 + b"\n",
    "aliases.yaml": aliases,
    "archive_in_an_archive.docx": lambda: with_entry(
        "word/embeddings/bomb.zip", base=samples("docx")[0].read_bytes(), data=packed_part(b" " * 1_000_000, 200)
    ),
}


def every_file(folder):
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_hostile_files_are_refused_and_cost_little(tmp_path, evidence):
    folder = tmp_path / "a" / "b" / "files"  # so that what leads up would be seen
    folder.mkdir(parents=True)
    for name, (make, _) in REFUSED.items():
        (folder / name).write_bytes(make())
    for name, make in HARMLESS.items():
        (folder / name).write_bytes(make())
    before = every_file(tmp_path)
    command = [sys.executable, "-c", CHILD.strip(), str(folder), str(ADDRESSES)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.stderr == ""
    found = {name: rest for name, *rest in map(json.loads, done.stdout.splitlines())}
    assert sorted(found) == sorted([*REFUSED, *HARMLESS])
    for name, (_, words) in REFUSED.items():
        said = found[name][0]
        assert said.startswith("refused: "), (name, said)
        assert words in said, (name, said)
        assert name in said, "the file is named"
        assert "\n" not in said, name
        assert len(said) < 500, name
    assert {name: found[name][0] for name in HARMLESS} == dict.fromkeys(HARMLESS, "read")
    slowest, memory = max(row[1] for row in found.values()), max(row[2] for row in found.values())
    assert slowest < SLOWEST, found
    assert memory < MOST_MEMORY, found
    assert every_file(tmp_path) == before, "nothing is written, here or further up"
    evidence("F6", "documents made to harm: refused in one line", f"{len(REFUSED)} of {len(REFUSED)}")
    evidence("F6", "files that they wrote, bytes", "0, 0")
    evidence("F6", "the slowest took, of processor time", f"{slowest:.0f} ms")
    evidence("F6", "the most memory one took beyond what the program takes", f"{memory:.0f} MB")
