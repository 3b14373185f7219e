"""The small picture of who looked at whom: columns under their words, an SVG that is well-formed."""

import pytest
from lxml import etree
from rich.cells import cell_len

from attendo.inspection.links import link_lines, link_picture

ROWS, COLUMNS = ["她", "写了", "</s>"], [">>zh<<", "She", "wrote", "</s>"]
WEIGHTS = [[0.04, 0.90, 0.06, 0.0], [0.0, 0.2, 0.55, 0.25], [0.1, 0.0, 0.0, 0.9]]


def test_shades_stand_under_their_words():
    head, *rows = list(link_lines(WEIGHTS, ROWS, COLUMNS))[:4]
    begin = {word: cell_len(head[: head.index(word)]) for word in COLUMNS}
    signs = [{cell_len(row[:index]): sign for index, sign in enumerate(row) if sign in "░▒▓█"} for row in rows]
    assert signs[0] == dict.fromkeys(range(begin["She"], begin["She"] + 3), "█")
    assert signs[1][begin["She"]] == "░"
    assert signs[1][begin["wrote"]] == "▓"
    assert signs[1][begin["</s>"]] == "▒"
    assert signs[2][begin[">>zh<<"]] == "░"


def test_the_picture_has_every_word_and_every_line_worth_seeing():
    tree = etree.fromstring(link_picture(WEIGHTS, ROWS, COLUMNS).encode())
    space = "{http://www.w3.org/2000/svg}"
    assert [text.text for text in tree.iter(f"{space}text")] == COLUMNS + ROWS
    drawn = [float(line.get("stroke-opacity")) for line in tree.iter(f"{space}line")]
    assert drawn == pytest.approx([0.90, 0.06, 0.2, 0.55, 0.25, 0.1, 0.9])
    width = float(tree.get("width"))
    assert all(0 < float(line.get(x)) < width for line in tree.iter(f"{space}line") for x in ("x1", "x2"))
