"""The pictures: all are written, of the expected size, whatever the labels and however long the sentence."""

import io
import struct

import pytest
import torch
from matplotlib import image

from attendo.inspection.heat_maps import FigureLayout, draw_heads, draw_maps, labels_apart
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
    layout = FigureLayout.of(labels, labels, 2, "Encoder self-attention, layer 1 of 2")
    assert size(tmp_path / "encoder-self-layer-1.png") == pytest.approx(
        (130 * layout.width, 130 * layout.height), abs=1
    )


def test_cells_have_the_colours_of_their_weights(tmp_path):
    """The identity: a diagonal of viridis' brightest on its darkest, in the middle of each cell."""
    labels = ["a", "b", "c", "d", "e"]
    draw_heads(torch.eye(5)[None], labels, labels, ["one"], "", tmp_path / "x.png")
    pixels = image.imread(io.BytesIO((tmp_path / "x.png").read_bytes()))[..., :3]
    layout = FigureLayout.of(labels, labels, 1, "")
    left, bottom, width, height = layout.map_box(0)
    rows, columns = pixels.shape[:2]
    for row in range(5):
        for column in range(5):
            x = columns * (left + width * (column + 0.5) / 5)
            y = rows * (1 - bottom - height + height * (row + 0.5) / 5)
            bright = (0.99, 0.91, 0.14) if row == column else (0.27, 0.00, 0.33)
            assert pixels[int(y), int(x)] == pytest.approx(bright, abs=0.02)


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
