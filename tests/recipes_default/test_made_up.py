"""The mixture as a whole: the same every time, no pair twice, every kind in its share, nothing that is tested on."""

import os
import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from random import Random

import pytest

from recipes.default import made_up
from recipes.default.made_up import FORBIDDEN, MIXTURE, labelled, main, pairs
from recipes.default.made_up_kinds.trilingual import Phrase
from recipes.default.made_up_kinds.words import FOLDER

LANGUAGES = (("zh", "en"), ("de", "en"))
TESTED_ON = ("tatoeba.test.tsv", "xdailydialog.test.tsv", "tensorflow.test.tsv")
ADDRESS = re.compile(r"https?://[a-z.]+[a-z]|[a-z._]+@[a-z.]+[a-z]")
HERE = Path(__file__).parent


def golden() -> Iterator[tuple[str, list[Phrase]]]:
    """Read by people who speak the languages; a blank line and a name before each kind's examples."""
    for block in (HERE / "golden.tsv").read_text(encoding="utf-8").strip().split("\n\n"):
        name, *lines = block.split("\n")
        yield name, [Phrase(*line.split("\t")) for line in lines]


@pytest.mark.parametrize(("name", "examples"), list(golden()))
def test_a_handful_of_each_kind(name: str, examples: list[Phrase]) -> None:
    rng = Random(f"golden {name}")
    assert [MIXTURE[name][1](rng) for _ in examples] == examples


def test_there_are_examples_of_every_kind() -> None:
    assert [name for name, _ in golden()] == list(MIXTURE)


@pytest.mark.parametrize("languages", LANGUAGES)
@pytest.mark.parametrize("roughened", [False, True])
def test_pairs_are_lines_of_a_table_and_none_comes_twice(languages: tuple[str, str], roughened: bool) -> None:
    made = list(pairs(languages, 4000, 1, roughened))
    assert len(set(made)) == len(made) == 4000
    for text in (text for pair in made for text in pair):
        assert text == text.strip()
        assert text
        assert len(f"{text}.".splitlines()) == 1
        assert "\t" not in text
        assert text.isprintable()


@pytest.mark.parametrize("languages", LANGUAGES)
def test_a_seed_says_it_all(languages: tuple[str, str]) -> None:
    made = list(pairs(languages, 500, 7))
    assert list(pairs(languages, 500, 7)) == made
    assert list(pairs(languages, 300, 7)) == made[:300]
    assert list(pairs(languages, 500, 8)) != made


@pytest.mark.parametrize("languages", LANGUAGES)
def test_every_kind_has_its_share(languages: tuple[str, str]) -> None:
    assert sum(share for share, _ in MIXTURE.values()) == 100
    # 500 of each: after more the small kinds repeat themselves.
    count = Counter(name for seed in range(1, 5) for name, _ in islice(labelled(languages, seed), 500))
    for name, (share, _) in MIXTURE.items():
        assert count[name] / 2_000 == pytest.approx(share / 100, abs=0.03), name


@pytest.mark.parametrize("languages", LANGUAGES)
def test_rough_text_is_on_one_side(languages: tuple[str, str]) -> None:
    made = list(islice(labelled(languages, 1, roughened=True), 3000))
    assert not any("  " in target for _, (_, target) in made)
    for source, target in (pair for name, pair in made if name == "copies"):
        assert ADDRESS.findall(source) == ADDRESS.findall(target)
    if languages[0] == "de":
        assert any("  " in source for _, (source, _) in made)
        assert any(source.islower() and not target.islower() for _, (source, target) in made)


def test_what_is_demonstrated_is_never_made() -> None:
    tables = [path.read_text(encoding="utf-8") for path in FOLDER.glob("*.tsv")]
    made = ["\t".join(pair) for languages in LANGUAGES for pair in pairs(languages, 4000, 1)]
    for text in (*tables, *made):
        assert not any(forbidden in text.lower() for forbidden in FORBIDDEN)
        assert "machine learning" not in text.lower()
        assert "机器学习" not in text


def is_short(text: str) -> bool:
    """Hello and good night may be in any test set; they are nobody's sentences."""
    return len(text.split()) <= 3 if text.isascii() or " " in text else len(text) <= 6


@pytest.mark.parametrize("languages", LANGUAGES)
def test_no_sentence_of_a_test_set_is_made(languages: tuple[str, str]) -> None:
    folder = Path(os.environ.get("ATTENDO_DATA", "data")) / "-".join(languages)
    files = [folder / name for name in TESTED_ON if (folder / name).exists()]
    if not files:
        pytest.skip(f"no test sets in {folder}: set ATTENDO_DATA")
    lines = [line.split("\t") for path in files for line in path.read_text(encoding="utf-8").split("\n")]
    sources = {line[0] for line in lines}
    targets = {line[1] for line in lines if len(line) > 1}
    for source, target in pairs(languages, 20_000, 1):
        assert is_short(source) or source not in sources
        assert is_short(target) or target not in targets


def test_the_command_writes_a_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = tmp_path / "made-up.tsv"
    given = ["made_up", "--languages", "en,de", "--pairs", "200", "--seed", "3", "--out", str(out)]
    monkeypatch.setattr("sys.argv", given)
    main()
    assert out.read_bytes() == "".join(f"{en}\t{de}\n" for en, de in pairs(("en", "de"), 200, 3)).encode()


@pytest.mark.parametrize("languages", ["zh", "zh,zh", "zh,fr", "zh,en,de"])
def test_the_command_refuses_other_languages(
    languages: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.argv", ["made_up", "--languages", languages, "--pairs", "1", "--out", str(tmp_path / "x")])
    with pytest.raises(SystemExit) as end:
        main()
    assert end.value.code == 2
    assert "expected two of zh, en, de" in capsys.readouterr().err


def test_it_ends_when_nothing_is_new(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(made_up, "MIXTURE", {"one": (100, lambda rng: Phrase("一", "one", "eins"))})
    assert list(pairs(("zh", "en"), 5, 1)) == [("一", "one")]
