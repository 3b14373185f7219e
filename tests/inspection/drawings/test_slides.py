"""Every drawing in both languages: nothing outside the slide, no words over other words, all within their boxes."""

import struct
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

from attendo.inspection.drawings import draw as drawing
from attendo.inspection.drawings.draw import make_slide
from attendo.inspection.drawings.options import DRAWINGS, DrawOptions
from attendo.inspection.drawings.slide import SMALL, Slide, slide_style, write_slide
from attendo.model_folder.bundle import Bundle, model_folder, read_bundle
from attendo.model_folder.checked_weights import read_weights
from attendo.model_folder.weights import load_model
from tests.cli.command import command

SLACK = 1.0  # pixels: letters may touch
BLANK = 0.2  # of a line's height, in which no letter has ink
OTHERS = [
    ("architecture", {"preset": "big", "norm_order": "pre"}, "zh"),
    ("architecture", {"preset": "llama-7b"}, "zh"),
    ("masks", {"texts": ("one two three four five six", "谢谢", "ja")}, "en"),
    ("positions", {"d_model": 32}, "zh"),
    ("schedule", {"d_model": 64, "warmup_steps": 100_000}, "en"),
    ("qkv", {"preset": "base"}, "en"),
    ("three-attentions", {"texts": ("Where is the station?",), "to": "de"}, "zh"),
    ("training-and-inference", {"texts": ("Where is the station?",), "to": "de"}, "en"),
]


@pytest.fixture(autouse=True, scope="module")
def one_model():
    """It is read once, not for every drawing."""
    bundle = read_bundle(model_folder(None))
    model, weights, tokenizer = load_model(bundle), read_weights(bundle), bundle.tokenizer()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Bundle, "tokenizer", lambda _: tokenizer)
        patch.setattr(drawing, "load_model", lambda _: model)
        patch.setattr(drawing, "read_bundle", lambda _: bundle)
        patch.setattr(drawing, "read_weights", lambda _: weights)
        patch.setattr(drawing, "read_sentence", cache(drawing.read_sentence))
        yield


def extents(slide):
    """Each text with where it stands, in pixels of a slide of 100 to the inch."""
    renderer = FigureCanvasAgg(slide.figure).get_renderer()
    if len(slide.figure.axes) > 1:  # ticks are not known before
        slide.figure.draw_without_rendering()
    return [(text, text.get_window_extent(renderer)) for text in slide.texts()], renderer


def blank(text):
    """Pixels between the lines of these letters."""
    return BLANK * text.get_fontsize() * text.figure.dpi / 72


def overlapping(one, other, blank_height):
    across = min(one.x1, other.x1) - max(one.x0, other.x0)
    up = min(one.y1, other.y1) - max(one.y0, other.y0)
    return across > SLACK and up > blank_height


def faults(slide):
    found, renderer = extents(slide)
    width, height = slide.figure.bbox.width, slide.figure.bbox.height
    for text, box in found:
        if box.x0 < 0 or box.y0 < 0 or box.x1 > width or box.y1 > height:
            yield f"outside: {text.get_text()}"
        if text.get_fontsize() < SMALL:
            yield f"too small: {text.get_text()}"
    for (one, box), (other, other_box) in combinations(found, 2):
        if overlapping(box, other_box, blank(one)):
            yield f"overlapping: {one.get_text()!r} and {other.get_text()!r}"
    for text, patch in slide.boxed:
        inside, around = text.get_window_extent(renderer), patch.get_window_extent(renderer)
        if inside.x0 < around.x0 or inside.x1 > around.x1 or inside.height > around.height + 2 * blank(text):
            yield f"larger than its box: {text.get_text()}"


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", DRAWINGS)
def test_each_is_written_and_its_words_are_apart(name, language, tmp_path, monkeypatch):
    monkeypatch.setattr("attendo.inspection.drawings.slide.PIXELS_PER_INCH", 24)
    with slide_style():
        slide = make_slide(name, DrawOptions(), language)
        assert list(faults(slide)) == []
        for form in ("svg", "png"):
            write_slide(slide, tmp_path / f"{name}.{form}")
    assert struct.unpack(">II", (tmp_path / f"{name}.png").read_bytes()[16:24]) == (320, 180)
    assert (tmp_path / f"{name}.svg").read_bytes().rstrip().endswith(b"</svg>")


@pytest.mark.parametrize(("name", "options", "language"), OTHERS)
def test_words_are_apart_whatever_is_asked(name, options, language):
    with slide_style():
        assert list(faults(make_slide(name, DrawOptions(**options), language))) == []


def test_the_guard_would_notice():
    with slide_style():
        slide = Slide("A title")
        slide.text(13.3, 3, "beyond the edge")
        slide.text(3, 3, "one")
        slide.text(3.05, 3.05, "two", 8)
        slide.box((6, 6), (0.3, 0.3), "many words")
        kinds = [fault.split(":")[0] for fault in faults(slide)]
    assert sorted(kinds) == ["larger than its box", "outside", "overlapping", "too small"]


def test_the_same_drawing_is_the_same_file(tmp_path):
    for path in (tmp_path / "one.svg", tmp_path / "two.svg"):
        with slide_style():
            slide = Slide("A title", "谢谢")
            slide.heat(1, 1, 2, 2, np.eye(3))
            slide.arrow((4, 1), (4, 2), (5, 2))
            write_slide(slide, path)
    assert (tmp_path / "one.svg").read_bytes() == (tmp_path / "two.svg").read_bytes()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["masks", "--out", "masks.svg"], 0, "wrote masks.svg"),
        (["pictures", "--out", "x.svg"], 2, "known drawings: architecture, masks, positions"),
        (["masks", "--out", "x.jpg"], 2, "--out is x.jpg: expected a name that ends with .svg or .png"),
        (["architecture", "--out", "x.svg", "--preset", "lstm"], 1, "transformer or a decoder-only model"),
        (["architecture", "--out", "x.svg", "--heads", "7"], 1, "cannot be split over num_heads = 7"),
        (["qkv", "--out", "x.svg", "--text", "long " * 20, "--to", "de"], 1, "the drawing has room for 8"),
        (["masks", "--out", "no/such/x.svg"], 2, "expected the name of a file, in a folder that is there"),
        (["masks", "--out", "x.html"], 2, "ends with .svg or .png"),
        (["embeddings", "--out", "x.html", "--words", "学习,zxqwv"], 1, "'zxqwv' is not one piece of this vocabulary"),
    ],
)
def test_the_command_says_it_in_one_line(arguments, code, words, tmp_path):
    done = command("draw", *arguments, cwd=tmp_path)
    assert done.code == code, done.err
    assert words in done.err
    assert done.err.count("\n") == 1
    assert (tmp_path / "masks.svg").exists() == (code == 0)
