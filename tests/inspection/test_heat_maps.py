"""The pictures: all are written, of the expected size, whatever the labels and however long the sentence."""

import io
import struct

import pytest
import torch
from matplotlib import image
from matplotlib.figure import Figure

from attendo.inspection.heat_maps import (
    FigureLayout,
    draw_heads,
    draw_maps,
    explain_signs,
    label_ticks,
    labels_apart,
    upright_label,
)
from attendo.report import fonts
from tests.inspection.small_models import inspection


def size(path):
    """Width and height, from the header of the PNG."""
    header = path.read_bytes()[:24]
    assert header[:8] == b"\x89PNG\r\n\x1a\n"
    return struct.unpack(">II", header[16:24])


@pytest.fixture
def no_chinese_font(monkeypatch):
    monkeypatch.setattr(fonts, "families", lambda: (fonts.LATIN,))


@pytest.fixture
def with_chinese_font(monkeypatch):
    """matplotlib's font of last resort has a box for every character there is."""
    monkeypatch.setattr(fonts, "CHINESE", ("Last Resort",))
    fonts.families.cache_clear()
    yield
    fonts.families.cache_clear()


def test_a_picture_for_each_layer_and_one_for_the_alignment(tmp_path):
    found = inspection("transformer", "爱饕")
    paths = list(draw_maps(found.maps, found.alignment, tmp_path))
    assert sorted(path.name for path in paths) == [
        "alignment.png", "cross-layer-1.png", "decoder-self-layer-1.png",
        "encoder-self-layer-1.png", "encoder-self-layer-2.png",
    ]  # fmt: skip
    assert sorted(tmp_path.iterdir()) == sorted(paths)
    labels = [fonts.drawable(label) for label in found.maps[0].rows]
    note = explain_signs(labels, "en")
    layout = FigureLayout.of(labels, labels, 2, note, has_note=True)
    assert size(tmp_path / "encoder-self-layer-1.png") == pytest.approx(
        (130 * layout.width, 130 * layout.height), abs=1
    )


def test_cells_have_the_colours_of_their_weights(tmp_path):
    """The identity: a dark diagonal on white, in the middle of each cell."""
    labels = ["a", "b", "c", "d", "e"]
    draw_heads(torch.eye(5)[None], labels, labels, ["one"], "", tmp_path / "x.png")
    for row, colours in enumerate(cells(tmp_path / "x.png", labels)):
        for column, colour in enumerate(colours):
            expected = (0.03, 0.19, 0.42) if row == column else (0.97, 0.98, 1.00)
            assert colour == pytest.approx(expected, abs=0.02)


def cells(path, labels):
    """[rows][columns]: the colour in the middle of each cell of a picture with one square map."""
    pixels = image.imread(io.BytesIO(path.read_bytes()))[..., :3]
    left, bottom, width, height = FigureLayout.of(labels, labels, 1, "").map_box(0)
    rows, columns = pixels.shape[:2]
    middles = [(index + 0.5) / len(labels) for index in range(len(labels))]
    xs = [int(columns * (left + width * part)) for part in middles]
    ys = [int(rows * (1 - bottom - height + height * part)) for part in middles]
    return [[pixels[y, x] for x in xs] for y in ys]


def test_a_small_weight_looks_small_and_a_masked_cell_like_no_weight(tmp_path):
    """A weight of 0.04 is nearer to white than a tenth of the way to the darkest; what may not be seen is grey."""
    labels = ["a", "b", "c", "d", "e"]
    draw_heads(torch.full((1, 5, 5), 0.04), labels, labels, ["one"], "", tmp_path / "x.png", causal=True)
    for row, colours in enumerate(cells(tmp_path / "x.png", labels)):
        for column, colour in enumerate(colours):
            if column > row:
                assert colour.max() == colour.min() == pytest.approx(0.85, abs=0.02)
            else:
                assert colour.min() > 0.97 - (0.97 - 0.03) / 10


@pytest.mark.parametrize(("pictures", "rows"), [(1, 1), (4, 2), (5, 2), (8, 3), (16, 6)])
def test_heads_are_shared_out_evenly(pictures, rows):
    """Maps of which three fit into a row: four are two and two, not three and one."""
    labels = ["x"] * 20
    layout = FigureLayout.of(labels, labels, pictures, "")
    assert layout.down == rows
    assert pictures > layout.across * (layout.down - 1)
    assert (layout.across * layout.down - pictures) < layout.down


def test_chinese_is_never_laid_on_its_side(tmp_path, with_chinese_font):
    axis = Figure().add_subplot()
    label_ticks(axis, ["他"], ["机器学习", ">>en<<", "</s>"], 1, upright=False)
    upright_label(axis, "被看的源句")
    assert [(label.get_text(), label.get_rotation()) for label in axis.get_xticklabels()] == [
        ("机\n器\n学\n习", 0), (">>en<<", 90), ("</s>", 90),
    ]  # fmt: skip
    assert (axis.yaxis.label.get_text(), axis.yaxis.label.get_rotation()) == ("被\n看\n的\n源\n句", 0)


def test_signs_are_explained_in_both_languages():
    labels = ["␣love", "</s>", ">>en<<", "我", "␣I"]
    english = ">>en<<: the language to write    </s>: end of the sentence    ␣: a space"
    assert explain_signs(labels, "en") == english
    assert explain_signs(["我", "x"], "en") == ""


def test_the_words_of_a_picture_may_be_chinese(tmp_path):
    found = inspection("transformer", "爱饕")
    english, chinese = (
        list(draw_maps(found.maps[-1:], found.alignment, tmp_path / lang, lang)) for lang in ("en", "zh")
    )
    assert [path.name for path in english] == [path.name for path in chinese]
    assert all(ours.read_bytes() != theirs.read_bytes() for ours, theirs in zip(english, chinese, strict=True))


def test_a_long_sentence_is_a_bounded_picture_with_fewer_labels(tmp_path):
    labels = [f"token{index}" for index in range(300)]
    draw_heads(torch.rand(1, 300, 300), labels, labels, [""], "long", tmp_path / "x.png")
    width, height = size(tmp_path / "x.png")
    assert width < 2_000
    assert height < 2_000
    assert labels_apart(30) == 1
    assert labels_apart(300) == 6


def test_without_a_font_chinese_is_code_points(no_chinese_font):
    assert fonts.drawable("我们") == "U+6211·4EEC"
    assert fonts.drawable("naïve </s> ␣") == "naïve </s> ␣"
    assert fonts.missing(["我 a", "们"]) == ["们", "我"]


def test_with_a_font_chinese_is_chinese(with_chinese_font, tmp_path):
    """Drawn without a warning: pytest makes warnings errors."""
    assert fonts.families() == ("DejaVu Sans", "Last Resort High-Efficiency")
    assert fonts.drawable("我们") == "我们"
    draw_heads(torch.ones(1, 1, 2) / 2, ["我们"], ["爱", "饕"], [""], "", tmp_path / "x.png")


def test_labels_are_never_mathematics(tmp_path):
    labels = ["$", "$x^2$", "$\\frac{", "\\alpha", "%", "_", "<b>&amp;"]
    draw_heads(torch.eye(7)[None], labels, labels, [""], "$", tmp_path / "x.png")
    assert size(tmp_path / "x.png")[0] > 300
