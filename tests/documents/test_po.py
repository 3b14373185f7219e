"""Gettext catalogues: polib and msgfmt read what we write, and find in it what we say is there."""

import shutil
import subprocess

import polib
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from attendo.documents.document import Writing
from attendo.documents.document_run import put_together
from attendo.documents.formats.po import PLURAL, find_po
from attendo.documents.formats.po_entries import decoded_po, encoded_po
from attendo.documents.formats.po_formats import placeholder_problem
from attendo.documents.segment_answer import SegmentAnswer
from attendo.errors import DataError
from attendo.translation.answer import Ledger
from tests.documents.laws import check_put_back, name_of, samples, swapped

TARGETS = {"de": 2, "zh": 1, "pl": 3}


def translated(data, to, say=swapped):
    document = find_po(data, "x.po")
    answers = [None if one.kept else SegmentAnswer(say(one.text), Ledger()) for one in document.segments]
    whole = put_together("po", document, answers, Writing(to, "en"))
    return document, whole, document.written(whole.changes)


def read(data, tmp_path):
    path = tmp_path / "x.po"
    path.write_bytes(data.removeprefix(b"\xef\xbb\xbf"))  # polib does not know the mark
    return polib.pofile(str(path), encoding="utf-8", check_for_duplicates=False)


@pytest.mark.parametrize("to", TARGETS)
@pytest.mark.parametrize("path", samples("po"), ids=name_of)
def test_polib_agrees(path, to, tmp_path):
    data = path.read_bytes()
    before = read(data, tmp_path)
    document, whole, new = translated(data, to)
    after = read(new, tmp_path)
    assert len(before) == len(after)
    assert not {"refused"} & set(whole.report.outcomes)
    said = {one.place: one for one in document.segments}
    for old, entry in zip(before, after, strict=True):
        assert (old.msgid, old.msgid_plural, old.msgctxt) == (entry.msgid, entry.msgid_plural, entry.msgctxt)
        assert (old.comment, old.tcomment, old.occurrences) == (entry.comment, entry.tcomment, entry.occurrences)
        assert (old.obsolete, old.previous_msgid) == (entry.obsolete, entry.previous_msgid)
        empty = not any(map(str.isalnum, old.msgid))
        if old.obsolete or empty or (old.translated() and not old.fuzzy):
            assert (entry.msgstr, entry.msgstr_plural, entry.flags) == (old.msgstr, old.msgstr_plural, old.flags)
            continue
        assert entry.fuzzy
        assert [flag for flag in entry.flags if flag != "fuzzy"] == [flag for flag in old.flags if flag != "fuzzy"]
        if entry.msgid_plural:
            one, many = swapped(entry.msgid), swapped(entry.msgid_plural)
            forms = TARGETS[to]
            assert entry.msgstr_plural == {0: one if forms > 1 else many, **dict.fromkeys(range(1, forms), many)}
        else:
            assert entry.msgstr == swapped(entry.msgid.replace(r"\101", "A").replace(r"\x42", "B"))  # polib knows none
    assert after.metadata["Language"] in (to, "zh_CN")  # what is right already stays
    assert f"nplurals={TARGETS[to]};" in after.metadata["Plural-Forms"]
    assert said


@pytest.mark.skipif(not shutil.which("msgfmt"), reason="gettext is not installed")
@pytest.mark.parametrize("path", samples("po"), ids=name_of)
def test_msgfmt_takes_it(path, tmp_path):
    """With its checks of plurals and formats; fuzzy entries are compiled, too."""
    _, _, new = translated(path.read_bytes(), "de")
    (tmp_path / "x.po").write_bytes(new.removeprefix(b"\xef\xbb\xbf"))
    command = ["msgfmt", "--check-format", "--use-fuzzy", "-o", "/dev/null", "x.po"]
    found = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=30)
    assert found.returncode == 0, found.stderr


PRINTED = st.text(st.one_of(st.characters(exclude_categories=("Cs", "Cc", "Zl", "Zp")), st.sampled_from('\n\t\r\\"')))


@given(PRINTED)
@settings(max_examples=100, deadline=None)
def test_a_value_comes_back(value):
    written = encoded_po(value, "\n")
    inside = [line[1:-1] for line in written.split("\n")]
    assert "".join(map(decoded_po, inside)) == value
    assert "".join(map(polib.unescape, inside)) == value


@given(st.lists(st.tuples(st.text('ab \n"\\é文%', min_size=1, max_size=12), st.booleans(), st.booleans()), max_size=6))
@settings(max_examples=60, deadline=None)
def test_generated_catalogues(entries):
    text = 'msgid ""\nmsgstr "Content-Type: text/plain; charset=UTF-8\\n"\n'
    for number, (value, fuzzy, plural) in enumerate(entries):
        text += "\n" + "#, fuzzy\n" * fuzzy + f'msgctxt "{number}"\nmsgid {encoded_po(value, chr(10))}\n'
        text += f'msgid_plural {encoded_po(value + "s", chr(10))}\nmsgstr[0] ""\n' if plural else 'msgstr ""\n'
    data = text.encode()
    check_put_back(find_po(data, "x.po"), data)
    document, _, new = translated(data, "de", lambda text: text)
    again = find_po(new, "x.po")
    assert [one.text for one in again.segments] == [one.text for one in document.segments]
    assert all(one.standing in ("", one.text) for one in again.segments)


@pytest.mark.parametrize(
    ("source", "answer", "words"),
    [
        ("%s of %d", "%s von %d", ""),
        ("%s of %d", "%d von %s", "another order"),
        ("%s files", "Dateien", "placeholder lost: %s"),
        ("files", "%s Dateien", "does not have: %s"),
        ("%(a)s %(b)s", "%(b)s %(a)s", ""),
        ("%(a)s", "%(A)s", "lost: %(a)s"),
        ("%1$s in %2$s", "%2$s in %1$s", ""),
        ("{a} and {b:>3}", "{b:>3} und {a}", ""),
        ("{a}", "{a} {a}", "does not have: {a}"),
        ("100% of it", "100% davon", ""),
        ("100%%", "100%", "lost: %%"),
        ("%-5.2f km", "%-5.2f km", ""),
    ],
)
def test_placeholders(source, answer, words):
    found = placeholder_problem(source, answer)
    assert words in found
    assert bool(words) == bool(found)


def test_an_entry_whose_placeholder_is_lost_stays_empty_and_is_told():
    data = b'msgid "%s is here"\nmsgstr ""\n\nmsgid "fine"\nmsgstr ""\n'
    _, whole, new = translated(data, "de", lambda text: text.replace("%s", "er"))
    assert new == data.replace(b'"fine"\nmsgstr ""', b'"fine"\nmsgstr "fine"').replace(
        b'\nmsgid "f', b'\n#, fuzzy\nmsgid "f'
    )
    [note] = [note for note in whole.report.notes if note.outcome == "refused"]
    assert (note.place, note.why) == ("line 1", ("placeholder lost: %s",))
    assert whole.ledger.untranslated == 1


def test_forms_that_came_back_together_are_refused():
    data = b'msgid "a file"\nmsgid_plural "files"\nmsgstr[0] ""\nmsgstr[1] ""\n'
    _, whole, new = translated(data, "de", lambda text: text.replace(PLURAL, " "))
    assert new == data
    assert whole.report.outcomes == ["refused"]


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b'msgid "a\nmsgstr ""\n', "line 1 is no line"),
        (b'msgid "a"\nmsgid "b"\n', "without msgid or msgstr"),
        (b'msgid "a"\nmsgstr ""\nmsgstr ""\n', "the same thing twice"),
        (b'"lost"\nmsgid "a"\nmsgstr ""\n', "line 1 is no line"),
        (b'msgid "a"\nmsgstr ""\nhello\n', "line 3 is no line"),
        (b'msgid ""\nmsgstr "Content-Type: text/plain; charset=GB2312\\n"\n', "GB2312"),
        (b'msgid "\xff"\nmsgstr ""\n', "line 1 is not UTF-8"),
    ],
)
def test_what_is_no_catalogue(data, words):
    with pytest.raises(DataError, match=words) as found:
        find_po(data, "x.po")
    assert "\n" not in str(found.value)
