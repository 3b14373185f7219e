"""Everyday pairs as people type them, and with other numbers: the target stays right."""

import re
from random import Random

import pytest

from recipes.default.varied import renumber, vary, write_varied

PAIRS = [(f"Satz Nummer {n} ist lang.", f"Sentence number {n} is long.") for n in range(40, 60)]
PAIRS += [(f"Das ist {name}, und er bleibt.", f"This is {name}, and he stays.") for name in ("Tom", "Anna", "Kim") * 40]


def test_numbers_change_on_both_sides_alike():
    for seed in range(200):
        source, target = renumber(Random(seed), "Am 24. Mai 1998 um 10:45 kamen 1 348 Leute.", "1 348, 24, 1998, 10:45")
        numbers = re.findall(r"\d+", source)
        assert sorted(numbers) == sorted(re.findall(r"\d+", target))
        day, year, hour, minute, one, many = numbers
        assert 13 <= int(day) <= 31
        assert 1_800 <= int(year) < 2_100
        assert 2 <= int(hour) <= 12
        assert 32 <= int(minute) < 60
        assert one == "1"  # what it counts stays singular
        assert len(many) == 3
    assert len({renumber(Random(seed), "7", "7") for seed in range(200)}) == 11


@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("Um 15 Uhr.", "At 3 pm."),  # said in another way
        ("Kein Wort.", "No word."),
        ("Zweimal 5 und 5.", "Twice 5 and 5."),  # which is which?
        ("Am 3. Mai.", "On May 3rd."),  # the letters would have to change, too
        ("1234567890", "1234567890"),
    ],
)
def test_where_numbers_cannot_be_changed_they_are_not(source, target):
    assert renumber(Random(1), source, target) is None


def test_every_pair_once_and_the_target_is_never_rough():
    made = list(vary(PAIRS, ("de", "en"), seed=1))
    assert len(made) == len(PAIRS)
    assert made == list(vary(PAIRS, ("de", "en"), seed=1)) != list(vary(PAIRS, ("de", "en"), seed=2))
    targets = {target for _, target in PAIRS}
    kept = [(source, target) for source, target in made if target in targets]
    assert len(kept) > 60
    assert any(source.islower() for source, _ in kept)
    assert any(not source.endswith(".") for source, _ in kept)
    loud = [(source, target) for source, target in made if source.isupper() and target.isupper()]
    assert loud
    assert all(target.endswith("!") for _, target in loud)
    assert all("  " not in target for _, target in made)


def test_it_is_written_from_what_was_distilled(tmp_path):
    lines = "".join(f"{source}\t{target}\n" for source, target in PAIRS)
    (tmp_path / "everyday.de-en.tsv").write_text(lines, encoding="utf-8")
    write_varied(tmp_path, ("de", "en"), 30, 1, tmp_path / "out.tsv")
    written = (tmp_path / "out.tsv").read_text(encoding="utf-8").split("\n")[:-1]
    assert [tuple(line.split("\t")) for line in written] == list(vary(PAIRS, ("de", "en"), seed=1))[:30]
