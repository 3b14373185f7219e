"""What is no translation is left out, and what only looks like none stays."""

import lzma

import pytest

from recipes.default.cleaned import UNCLEAN, is_translation, write_cleaned


@pytest.mark.parametrize(
    ("german", "english", "kept"),
    [
        ("Im Jahr 2015 kamen zwölf.", "Twelve came in 2015.", True),
        ("Seit 2015 gibt es das.", "It has been there since 2016.", False),
        ("Das gibt es.", "It has been there since 2016.", False),
        ("Install the app.", "Install the App.", False),
        ("Das ist alles!", "That is all.", True),
        ("Das ist alles.", "That is all, and", False),
    ],
)
def test_what_is_a_translation(german, english, kept):
    assert is_translation(german, english, ("de", "en")) == kept


def test_a_file_for_each_corpus(tmp_path):
    for name, languages in UNCLEAN:
        folder = tmp_path / "-".join(languages)
        folder.mkdir(exist_ok=True)
        with lzma.open(folder / f"{name}.train.tsv.xz", "wt", encoding="utf-8") as file:
            file.write("a 20\tb 20\nsame\tsame\n")
    write_cleaned(tmp_path, tmp_path / "cleaned")
    assert len(list((tmp_path / "cleaned").iterdir())) == len(UNCLEAN)
    assert all(file.read_text(encoding="utf-8") == "a 20\tb 20\n" for file in (tmp_path / "cleaned").iterdir())
