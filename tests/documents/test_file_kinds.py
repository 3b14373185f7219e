"""What a file looks like: other formats are known by their bytes and names, and plain text is left in peace."""

import gzip
import io
import json
import random
import sys
import zipfile
from types import SimpleNamespace

import pytest

from attendo.cli.main import main
from attendo.documents.file_kinds import MOST, look
from attendo.model_folder import bundle
from attendo.translation import load as load_module
from tests.translation.fake_engine import FakeEngine, fake_translator, write_fake_model


def zipped(*names, first=b""):
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w") as file:
        for name in names:
            file.writestr(name, first if name == "mimetype" else b"<x/>")
    return kept.getvalue()


SRT = "1\n00:00:01,000 --> 00:00:04,000\nHello.\n\n2\n00:00:05,000 --> 00:00:06,500\nBye.\n"
ASS = "[Script Info]\n" + "Title: a\n" * 6
PO = '# German\nmsgid ""\nmsgstr ""\n"Content-Type: text/plain; charset=UTF-8\\n"\n\nmsgid "Hello"\nmsgstr "Hallo"\n'
PAGE = "<!DOCTYPE html>\n<html><body><p>Hello</p></body></html>\n"
TMX = '<?xml version="1.0"?>\n<!-- a -->\n<!-- b -->\n<tmx version="1.4"><body/></tmx>\n'
FRONT = "---\ntitle: Hello\ntags:\n  - a\n  - b\n---\n\nA text.\n"
MANY = json.dumps([{"id": n, "text": "Hello there"} for n in range(5_000)], indent=1)

BINARY = [
    ("PDF", b"%PDF-1.7\n%\xe2\xe3\n1 0 obj", "in.txt"),
    ("PDF", b"%PDF-1.7\n%\xe2\xe3\n1 0 obj", "in.pdf"),
    ("Word", zipped("[Content_Types].xml", "_rels/.rels", "word/document.xml"), "in.docx"),
    ("PowerPoint", zipped("[Content_Types].xml", "ppt/presentation.xml"), "in.pptx"),
    ("Excel", zipped("[Content_Types].xml", "xl/workbook.xml"), "x"),
    ("OpenDocument", zipped("mimetype", "content.xml", first=b"application/vnd.oasis.opendocument.text"), "in.odt"),
    ("EPUB", zipped("mimetype", "a.xhtml", first=b"application/epub+zip"), "in.epub"),
    ("zip", zipped("a.txt"), "in.txt"),
    ("zip", b"PK\x05\x06" + b"\0" * 18, "empty.zip"),
    ("gzip", gzip.compress(b"hello\n"), "in.txt"),
    ("xz", b"\xfd7zXZ\0\0\4", "in.txt"),
    ("Zstandard", b"\x28\xb5\x2f\xfd\x04", ""),
    ("bzip2", b"BZh91AY&SY\0", "in.bz2"),
    ("archive", b"7z\xbc\xaf\x27\x1c\0\4", "in.7z"),
    ("tar", b"a.txt".ljust(257, b"\0") + b"ustar\x0000", "in.tar"),
    ("image", b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", "in.txt"),
    ("image", b"\xff\xd8\xff\xe0\0\x10JFIF", "in.txt"),
    ("image", b"GIF89a\1\0", "a.gif"),
    ("image", b"RIFF\n\0\0\0WEBPVP8 ", "a.webp"),
    ("sound", b"\0\0\0\x18ftypmp42", "a.mp4"),
    ("Office", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1\0", "a.doc"),
    ("database", b"SQLite format 3\0", "a.txt"),
    ("UTF-16", "\ufeffHello\n".encode("utf-16-le"), "in.txt"),
    ("UTF-16", "\ufeff你好\n".encode("utf-16-be"), "in.txt"),
    ("UTF-16", "Hello, world\n".encode("utf-16-le"), "in.txt"),
    ("UTF-16", "Hello, world\n".encode("utf-16-be"), "in.txt"),
    ("UTF-32", "\ufeffHello\n".encode("utf-32-le"), "in.txt"),
]
STRUCTURED = [
    ("SubRip", SRT, "in.txt"),
    ("SubRip", "\ufeff" + SRT.replace("\n", "\r\n"), ""),
    ("SubRip", "\n\n" + SRT, ""),
    ("SubRip", "1\n00:00:01.000 --> 00:00:04.000\nHello.\n", ""),
    ("SubRip", "Hello\n", "in.srt"),
    ("SubRip", "Hello\n", "IN.SRT.GZ"),
    ("WebVTT", "WEBVTT\n\n00:01.000 --> 00:04.000\nHello\n", "x"),
    ("WebVTT", "WEBVTT - a film\n", "x"),
    ("SubStation", "[Script Info]\nTitle: x\n", "x"),
    ("gettext", PO, "messages.txt"),
    ("gettext", "#, fuzzy\n" * 100 + PO, ""),
    ("gettext", "Hello\n", "de.po"),
    ("HTML", PAGE, "page.txt"),
    ("HTML", "<!-- saved from x -->\n" + PAGE.lower(), ""),
    ("HTML", "<html>\n<p>Hello", ""),
    ("HTML", "Hello", "page.html"),
    ("TMX", TMX, "x"),
    ("XLIFF", '<xliff version="1.2"><file/></xliff>', ""),
    ("XLIFF", "x", "a.xlf"),
    ("XML", '<?xml version="1.0" encoding="utf-8"?>\n<resources/>\n', "strings.txt"),
    ("JSON", '{"hello": "Hallo"}', "x"),
    ("JSON", '{\n  "hello": "Hallo",\n  "bye": {"a": [1, 2]}\n}\n', "en.txt"),
    ("JSON", '["Hello", "Bye"]\n', ""),
    ("JSON", MANY, ""),
    ("JSON", MANY[:3_000], ""),  # a block of a pipe, cut in the middle of anything
    ("JSON", MANY[:3_007], ""),
    ("JSON", '{"a": "' + "x" * 10_000, ""),
    ("JSON", "[" * 100_000, "a.json"),
    ("JSON lines", '{"text": "Hello"}\n{"text": "Bye"}\n', "x"),
    ("JSON lines", "x", "a.jsonl"),
    ("YAML", "en:\n  hello: Hello\n  bye: 'Bye: now'\n", "x"),
    ("YAML", "# a comment\nen:\n  hello: Hello\n  nested:\n    bye: Bye\n", "x"),
    ("YAML", "%YAML 1.2\n---\na: b\n", ""),
    ("YAML", "a", "x.yml"),
    ("Markdown", FRONT, "post.txt"),
    ("Markdown", "# Hello\n\nSee [this](x.md).\n", "README.md"),
    ("Markdown", "A text.\n\n```sh\nls\n```\n", "a.md"),
    ("CSV", "id,text\n1,Hello\n", "a.csv"),
    ("CSV", "id;text\n1;Hallo\n", "a.csv"),
    ("CSV", "id,lang,text\n" + '1,en,"Hello, you"\n' * 6, "a.txt"),
    ("RTF", "{\\rtf1\\ansi Hello}", "x"),
    ("TeX", "% mine\n\\documentclass{article}\n", "x"),
]
PLAIN = [
    ("Look at the arrow --> there.\n1 --> 2\n", "in.txt"),
    ("1\nChapter one --> the beginning\n00:00 was the hour\n", "in.txt"),
    ("{name}, welcome!\n{0} files\n", "in.txt"),
    ('{"a": 1} is how JSON looks.\nOr so they say.\n', "in.txt"),
    ("{\n", ""),
    ("[1]\n[2] See above.\n", "in.txt"),
    ("[1, 2, 3]\n", "in.txt"),
    ("[Laughter] He said: \"No.\"\n", "in.txt"),
    ("# A text about C#\n# and F#\n", "in.txt"),
    ("#hashtag of the day\n", ""),
    ("---\nA rule, and then a text.\n---\nAnother.\n", "in.txt"),
    ("---\n", ""),
    ("- one\n- two\n- three\n", "in.txt"),
    ("1. It was the best of times,\n2. it was the worst of times,\n3. it was the age of wisdom.\n", "novel.txt"),
    ("1 It was a dark night.\n2 The rain fell.\n3 He left.\n", "novel.txt"),
    ("a\tb\tc\n1\t2\t3\n", "in.txt"),
    ("a\tb\n1\t2\n", "in.tsv"),
    ("Alice: Hello.\nBob: Hi!\nAlice: How are you?\nBob: Fine.\n", "scene.txt"),
    ("Title: Emma\nAuthor: Jane Austen\nYear: 1815\n\nEmma Woodhouse, handsome, clever, and rich.\n", "emma.txt"),
    ("apple, pear, plum\nred, green, blue\none, two, three\nx, y, z\na, b, c\n", "in.txt"),
    ("He came, saw, won.\nShe ate, drank, slept.\nIt rained, hailed, snowed.\nA,b,c.\nd,e,f.\n", "in.txt"),
    ("<b>Save</b>\n<i>Cancel</i>\n", "strings.txt"),
    ("<3 you\n<p>A paragraph.</p>\n", ""),
    ("<xml> is a word here\n", ""),
    ("%s files\n%d of %d\n", ""),
    ("%PD is no PDF\n", ""),
    ("PK said so.\nBM too.\nMZ as well.\nID3 is a tag.\n", ""),
    ("msgid is a keyword of gettext, and msgstr too.\n", "in.txt"),
    ("WEBVTTs are files.\n", ""),
    ("Hello\nWorld\n", "list.csv"),
    ("A text without any sign.\n\nAnother paragraph.\n", "text.md"),
    ("我爱机器学习。\n你好吗？\n", "in.txt"),
    ("我爱，你好，再见\n", "in.csv"),
    ("", "in.json"),
    ("\n\n", "in.srt"),
    ("name.of.a.file.json is a file\n", ""),
    ("Lines\u2028of\u0085many\x0ckinds\x00 and NUL\n", "in.txt"),
    ("a\0b\n", ""),
    ("\0" * 40 + "\n", ""),
    ("'\"{[<!--" * 3_000, ""),
    ("<!-- -->" * 5_000, ""),
    ("[" * MOST, "x.md"),
    ("---\n" + "  a: b\n" * 20_000, "x"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "data", "name"), BINARY, ids=lambda value: str(value)[:14])
def test_files_without_lines(words, data, name):
    found = look(data, name)
    assert found
    assert found.binary
    assert words in found.name
    if words.startswith("UTF"):
        assert "iconv -f" in found.advice


@pytest.mark.parametrize(("words", "text", "name"), STRUCTURED, ids=lambda value: ascii(value)[:18])
def test_texts_with_a_structure(words, text, name):
    found = look(text.encode(), name)
    assert found
    assert (found.binary, words in found.name) == (False, True), found


@pytest.mark.parametrize(("text", "name"), PLAIN, ids=lambda value: ascii(value)[:18])
def test_plain_text(text, name):
    assert look(text.encode(), name) is None


def test_any_bytes_are_looked_at_without_harm(evidence):
    draw = random.Random(3)
    signs = [
        b"{",
        b"[",
        b'"',
        b":",
        b"---\n",
        b"\n",
        b",",
        b"<!--",
        b"-->",
        b"a: b\n",
        b"\xff",
        b"\0",
        b"1",
        b"\\",
        b'msgid "',
    ]
    for _ in range(2_000):
        look(b"".join(draw.choices(signs, k=draw.randrange(60))), draw.choice(["", "a.md", "a.csv", "a.json.gz"]))
    evidence(
        "X1",
        "looks of a file: no text, refused / a structure, warned of / plain text, left in peace",
        f"{len(BINARY)} / {len(STRUCTURED)} / {len(PLAIN)}",
    )


# --- the command


@pytest.fixture(scope="module")
def fake(tmp_path_factory):
    return write_fake_model(tmp_path_factory.mktemp("formats") / "m")


@pytest.fixture
def attendo(fake, monkeypatch, capfdbinary, tmp_path):
    monkeypatch.setenv("ATTENDO_CACHE", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(bundle, "SHIPPED", fake.parent)
    translator = fake_translator(fake, FakeEngine(tokens_per_batch=20))
    monkeypatch.setattr(load_module, "load", lambda *_, **__: translator)

    def run(*arguments, stdin=b""):
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=io.BufferedReader(io.BytesIO(stdin))))
        with pytest.raises(SystemExit) as end:
            main(["translate", "--model", "m", "--to", "en", *map(str, arguments)])
        sys.stdout.flush()
        return end.value.code or 0, *capfdbinary.readouterr()

    return run


def test_a_structure_is_warned_of_and_counted(attendo, tmp_path):
    (tmp_path / "in.ass").write_text(ASS, encoding="utf-8")
    files = ("-i", "in.ass", "-o", "out.ass", "--report", "r.json")
    for more in ((), ("--resume",)):  # a run that was finished says what it said
        code, _, err = attendo(*files, *more)
        lines = err.decode().split("\n")
        assert code == 3
        assert lines[0] == (
            "attendo: in.ass looks like SubStation subtitles: its lines are translated as plain text, and its "
            "structure may break (--as-lines: that is meant)"
        )
        assert lines[-2] == (
            "attendo: done, with remarks: 7 × line of what looks like another format, translated as plain text"
        )
        assert json.loads((tmp_path / "r.json").read_bytes())["structured"] == 7
    (tmp_path / "out.ass").unlink()
    assert attendo(*files, "--as-lines") == (0, b"", b"")
    assert json.loads((tmp_path / "r.json").read_bytes())["structured"] == 0


def test_a_file_without_lines_is_refused(attendo, tmp_path):
    for data, words in (
        (b"%PDF-1.7\n", b"a PDF: take its text out first"),
        ("\ufeffHallo\n".encode("utf-16-le"), b"UTF-16: expected UTF-8 (iconv -f UTF-16 -t UTF-8)"),
    ):
        (tmp_path / "in.txt").write_bytes(data)
        code, out, err = attendo("-i", "in.txt", "-o", "out.txt")
        assert (code, out, err) == (1, b"", b"attendo: in.txt is " + words + b"\n")
        assert sorted(path.name for path in tmp_path.iterdir() if path.name != "cache") == ["in.txt"]
        assert attendo("-i", "in.txt", "--as-lines")[1].count(b"\n") == data.count(b"\n")


def test_a_pipe_is_looked_at_too(attendo):
    code, out, err = attendo(stdin=ASS.encode())
    assert (code, out) == (3, ASS.encode())
    assert err.startswith(b"attendo: stdin looks like SubStation subtitles: ")
    assert attendo(stdin=gzip.compress(b"x"))[0] == 1
    assert attendo(stdin="你好\n".encode()) == (0, "你好\n".encode(), b"")
