"""The lab quotes the notes word for word in Chinese, with the note's letter and the line, and translated in English.

The notes are not part of this repository. Where $ATTENDO_NOTES names a folder with the five of them (000_… is A,
001_… is B, to 004_…, E), every quotation is looked up there.
"""

import os
import re
from pathlib import Path

import pytest

LAB = Path(__file__).parent.parent.parent / "attendo" / "lab"
CHINESE = sorted(LAB.glob("**/*.zh.md"))
QUOTE = re.compile(r"> \[((?:[A-E][1-9]\d*)|(?:paper [1-9][\d.]*)|folklore)\] (\S.*)")
LONGEST = 160  # characters of one quotation: the sentence that makes the claim, not the page

every_page = pytest.mark.parametrize("page", CHINESE, ids=lambda page: page.name.removesuffix(".zh.md"))


def quotes(page: Path) -> list[tuple[str, str]]:
    """Tag and words of each, in order: ("A12", "…"), ("paper 5.3", "…"), ("folklore", "…")."""
    lines = [line for line in page.read_text(encoding="utf-8").split("\n") if line.startswith(">")]
    found = [QUOTE.fullmatch(line) for line in lines]
    wrong = [line for line, match in zip(lines, found, strict=True) if match is None]
    assert not wrong, f"{page.name}: expected '> [A12] words', '> [paper 5.3] words' or '> [folklore] words': {wrong}"
    return [(match[1], match[2]) for match in found if match]


def read_notes(folder: Path) -> dict[str, list[str]]:
    """The lines of A to E, as `grep -n` counts them."""
    files = {letter: sorted(folder.glob(f"00{number}_*")) for number, letter in enumerate("ABCDE")}
    wrong = {letter: [file.name for file in found] for letter, found in files.items() if len(found) != 1}
    assert not wrong, f"{folder}: expected one file each 000_… to 004_…; found {wrong}"
    return {letter: found[0].read_text(encoding="utf-8").split("\n") for letter, found in files.items()}


def not_in_the_notes(page: Path, notes: dict[str, list[str]]) -> list[str]:
    """One line for each quotation that the note does not have there, with the lines that do have it."""
    wrong = []
    for tag, words in quotes(page):
        if tag[0] not in notes:  # the paper's, or folklore: it says so itself
            continue
        lines = notes[tag[0]]
        line = int(tag[1:])
        if line > len(lines) or words not in lines[line - 1]:
            other = [f"{letter}{n}" for letter in notes for n, there in enumerate(notes[letter], 1) if words in there]
            wrong.append(f"{tag}: {words} (found in: {', '.join(other) or 'no note'})")
    return wrong


@pytest.fixture(scope="module")
def notes():
    folder = os.environ.get("ATTENDO_NOTES")
    if not folder:
        pytest.skip("the notes are not here: ATTENDO_NOTES is not set")
    return read_notes(Path(folder))


def test_there_are_pages():
    assert len(CHINESE) >= 40


def test_the_notes_have_it_word_for_word_in_that_line(notes):
    wrong = {page.name: not_in_the_notes(page, notes) for page in CHINESE}
    assert {name: lines for name, lines in wrong.items() if lines} == {}


@every_page
def test_both_languages_quote_the_same_places_and_each_page_at_least_one(page):
    tags = [tag for tag, _ in quotes(page)]
    assert tags or page.name == "waits.zh.md"  # nothing need wait
    assert [tag for tag, _ in quotes(page.with_name(page.name.replace(".zh.md", ".en.md")))] == tags


@every_page
def test_quotations_are_short(page):
    assert [tag for tag, words in quotes(page) if len(words) > LONGEST] == []


def test_no_english_page_stands_alone():
    english = sorted(page.with_name(page.name.replace(".en.md", ".zh.md")) for page in LAB.glob("**/*.en.md"))
    assert english == CHINESE


def test_a_wrong_quotation_is_found(tmp_path):
    for number in range(5):
        (tmp_path / f"00{number}_note.txt").write_text("标题\n\n多头比单头好，也更贵。\n", encoding="utf-8")
    planted = read_notes(tmp_path)
    page = tmp_path / "l99_planted.zh.md"
    page.write_text("# 论断\n> [A3] 多头比单头好\n> [paper 5.3] 原论文\n> [folklore] 经验\n", encoding="utf-8")
    assert not_in_the_notes(page, planted) == []
    page.write_text("# 论断\n> [E2] 多头比单头好\n> [B3] 多头优于单头\n> [C99] 标题\n", encoding="utf-8")
    assert not_in_the_notes(page, planted) == [
        "E2: 多头比单头好 (found in: A3, B3, C3, D3, E3)",
        "B3: 多头优于单头 (found in: no note)",
        "C99: 标题 (found in: A1, B1, C1, D1, E1)",
    ]
    page.write_text("# 论断\n> [F3] 多头比单头好\n", encoding="utf-8")
    with pytest.raises(AssertionError, match="F3"):
        quotes(page)
    (tmp_path / "003_note.txt").unlink()
    with pytest.raises(AssertionError, match="'D'"):
        read_notes(tmp_path)


# Lines of the notes that say nothing to be tested: titles, heads of tables, links, what leads to a formula or a list,
# and further steps of an example whose other steps are quoted. B is an older copy of A.
NOTHING_TO_TEST = {
    "A": (49, 56, 57, 59, 65, 67, 69, 71, 73, 76, 97, 119, 123, 129, 168, 172, 180, 208, 210, 222, 232, 236, 242, 318,
          334, 341),
    "C": (3, 5, 7, 26, 41, 53, 131, 148, 163),
    "D": (26, 35, 56, 78, 93, 120, 124, 134, 223, 231, 249, 279, 285, 319, 326, 327, 331, 332, 334, 336, 337, 339, 350),
    "E": (5, 15, 35, 37, 58),
}  # fmt: skip
HAN = re.compile("[\u4e00-\u9fff]")


def test_no_line_of_the_notes_is_passed_over_in_silence(notes):
    """A claim, an erratum, or the page of other sentences quotes it; or it is named here."""
    quoted = {tag for page in CHINESE for tag, _ in quotes(page)}
    lines = {
        f"{letter}{n}"
        for letter in "ACDE"
        for n, line in enumerate(notes[letter], 1)
        if len(HAN.findall(line)) >= 6 and not line.startswith("#")
    }
    named = {f"{letter}{line}" for letter, there in NOTHING_TO_TEST.items() for line in there}
    assert lines - quoted == named
