"""The steps as lines: columns that stay columns, and all that happened."""

import pytest
from rich.cells import cell_len

from attendo.inspection.steps import PREFIX_WIDTH, ending_of, inspection_lines
from tests.inspection.small_models import inspection


@pytest.mark.parametrize("text", ["", "a" * 32, "爱" * 16, "a" * 33, "爱" * 17, "a爱" * 40, "爱" * 15 + "ab"])
def test_of_a_long_text_the_end_is_shown(text):
    ending = ending_of(text)
    assert cell_len(ending) <= PREFIX_WIDTH
    assert text.endswith(ending.removeprefix("…"))
    assert (ending == text) == (cell_len(text) <= PREFIX_WIDTH)
    if ending != text:
        assert cell_len(ending) >= PREFIX_WIDTH - 2


def test_every_contender_has_a_line_and_its_fate():
    found = inspection("transformer")
    lines = list(inspection_lines(found))
    assert lines[0] == f"source       {found.text}"
    headers = [line for line in lines if line.startswith("step ")]
    assert len(headers) == len(found.steps)
    for word, fate in (("kept as", "live"), ("ended, score", "ended"), ("  lost", "lost")):
        happened = sum(one.fate == fate for step in found.steps for one in step.contenders)
        assert sum(word in line for line in lines) == happened > 0
    assert f"score {found.best.score:.3f}" in "".join(lines)
    # The column of fates begins at one column of the terminal, Chinese or not.
    rows = [line for line in lines if line.endswith("  lost")]
    assert len({cell_len(line) for line in rows}) == 1
    assert all(line.isprintable() for line in lines)


def test_greedy_search_has_steps_too():
    found = inspection("lstm", beam_size=1)
    lines = list(inspection_lines(found))
    assert sum("kept as 1" in line for line in lines) == len(found.best.ids) - 1
    assert lines[-1].startswith("The search ends: no hypothesis is left to go on")
