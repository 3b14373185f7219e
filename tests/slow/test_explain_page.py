"""The page of `attendo explain` in a real browser: nothing is asked of anybody, numbers unfold, small screens do.

Needs Chromium and Playwright for Python (pip install playwright); skipped where one of them is missing.
"""

import random
import shutil
import subprocess
import sys
import time

import numpy as np
import pytest
import torch

from attendo.explain.explain import explain
from attendo.explain.hand_words import HandWords
from attendo.explain.page import write_page
from attendo.explain.view import view_of
from attendo.model.build import build_model
from attendo.model.config import TransformerConfig
from attendo.model_folder.weights import save_model, weights_of
from tests.explain.sentences import GLASS, SENTENCE, TWENTY
from tests.inspection.small_models import tokenizer

sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright for Python is not installed")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
pytestmark = [pytest.mark.slow, pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")]
CLOSE = 1e-3  # of the largest number of a tensor, after sums of numbers with five digits each
KINDS = {
    "post-norm, learned": {"norm_order": "post", "positions": "learned", "norm": "rms", "activation": "swiglu"},
    "pre-norm, rotary": {"norm_order": "pre", "positions": "rotary", "activation": "gelu", "bias": False},
    "post-norm, no positions": {"norm_order": "post", "positions": "none", "tied_output": False},
    "additive": {"compatibility": "additive", "norm_order": "pre"},
    "as Marian has it": {
        "norm_order": "post", "positions": "sinusoidal-halves", "activation": "swish", "shared_embedding": False,
        "output_bias": True,
    },
}  # fmt: skip
HANDS = {  # a random model would not end by itself
    "the end forced": {"force": ("5=</s>",)},
    "several": {
        "heads_off": ("encoder:1:2", "cross:1"), "erase": ("书",), "scale": False, "feed_forward_off": ("decoder:1",),
        "temperature": 1.5, "positions": "shuffled", "force": ("2=a", "6=</s>"),
    },
    "positions off": {"positions": "off", "force": ("4=</s>",)},
}  # fmt: skip
# An arc is no HTML element, and has no click() of its own. What is unfolded is checked.
CLICK_SOME = """() => {
  const cells = [...document.querySelectorAll('[data-cell]')];
  for (let i = 0; i < 200; i++) {
    cells[Math.floor(i * cells.length / 200)].dispatchEvent(new MouseEvent('click', { bubbles: true }));
    document.querySelectorAll('.unfolding .check button').forEach((one) => one.click());
    if (document.querySelector('.different')) return;
  }
}"""


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def opened(browser, tmp_path):
    """A page in a tab of its own; in the end it has asked for nothing and complained of nothing."""
    tabs, asked, complaints = [], [], []

    def open_page(found, language="en", width=1000, scheme="light"):
        path = write_page(tmp_path, found, view_of(found), language)
        tab = browser.new_page(viewport={"width": width, "height": 900}, color_scheme=scheme)
        tab.on("request", lambda request: asked.append(request.url))
        tab.on("console", lambda message: complaints.append(message.text))
        tab.on("pageerror", lambda error: complaints.append(str(error)))
        tab.goto(path.as_uri())
        tabs.append(tab)
        return tab

    yield open_page
    for tab in tabs:
        tab.close()
    assert all(url.startswith("file://") for url in asked)
    assert len(asked) == len(tabs)
    assert complaints == []


def unfold_all(tab):
    """Every fold on the page, those inside others, too."""
    for _ in range(4):
        tab.evaluate("document.querySelectorAll('details:not([open]) > summary').forEach((one) => one.click())")
        tab.wait_for_timeout(150)


def test_it_unfolds_and_speaks_both_languages(opened):
    tab = opened(explain(SENTENCE, "en", model=GLASS))
    assert tab.locator("h1").inner_text() == "我爱机器学习 → I love machine learning."
    assert [one.inner_text() for one in tab.locator(".pieces b").all()] == [
        ">>en<<",
        "我",
        "爱",
        "机器",
        "学习",
        "</s>",
    ]
    tab.locator("#encoder-0-self_attention table.rows td[data-cell]").first.click()
    terms = tab.locator("#encoder-0-self_attention .unfolding .terms li")
    assert terms.count() == 64
    products = [float(one.inner_text().replace("−", "-").split("=")[1]) for one in terms.all()]
    shown = tab.locator("#encoder-0-self_attention .unfolding b").inner_text().replace("−", "-")
    assert abs(sum(products) - float(shown)) < 0.05
    weight = tab.locator("#encoder-0-self_attention table.rows tr").last.locator("td").first
    weight.focus()
    weight.press("Enter")
    assert "softmax" in tab.locator("#encoder-0-self_attention .unfolding").inner_text()
    tab.get_by_text("every tensor on the way").first.click()
    tab.get_by_text("queries, keys, values").first.click()
    tab.locator("[data-cell*='self_attention.Q']").first.click()
    tab.locator("[data-place=encoder-0-self_attention-Q]").get_by_role("button", name="check").click()
    assert "✓" in tab.locator("[data-place=encoder-0-self_attention-Q] .same").inner_text()
    tab.get_by_role("button", name="中文").click()
    assert tab.locator("#encoder h2").inner_text() == "3 · 编码器"
    assert tab.locator("html").get_attribute("lang") == "zh-Hans"
    tab.get_by_role("button", name="下一步").first.click()
    assert tab.locator("#output .piece.new").inner_text() == "␣love"
    assert tab.locator(".different").count() == 0


def test_200_numbers_that_a_reader_sees_are_the_models(opened):
    """Read out of the page as text, by the names and indices that it gives them."""
    found = explain(SENTENCE, "en", model=GLASS)
    tab = opened(found)
    unfold_all(tab)
    cells = tab.evaluate("[...document.querySelectorAll('.number')].map((one) => [one.dataset.name, one.textContent])")
    assert len(cells) > 3_000
    for title, text in random.Random(1).sample(cells, 200):
        name, _, index = title.rstrip("]").partition("[")
        theirs = float(found.shown.trace[name][tuple(map(int, index.split(", ")))])
        assert abs(float(text.replace("−", "-")) - theirs) <= 0.0006 + 0.006 * abs(theirs), title


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [360, 1000])
def test_nothing_is_wider_than_the_screen(opened, width, scheme):
    tab = opened(explain(SENTENCE, "en", model=GLASS, hands=HandWords(erase=("机器",))), "zh", width, scheme)
    unfold_all(tab)
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    assert "I love studying." in tab.locator("#hands").inner_text()
    assert tab.locator("#hands .parts th").inner_text() == "␣machine"
    paper = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (paper == "rgb(255, 255, 255)") == (scheme == "light")


@pytest.mark.parametrize("hands", HANDS)
@pytest.mark.parametrize("kind", [*KINDS, "the model that comes with attendo"])
def test_what_the_page_computes_is_what_the_model_computed(opened, tmp_path, kind, hands):
    """Every tensor of the trace, those that the page does not hold but computes, too; every fold opens."""
    model = GLASS
    if kind in KINDS:
        sizes = {"vocab_size": tokenizer().vocab_size, "d_model": 16, "d_ff": 24, "num_heads": 2, "max_length": 200}
        torch.manual_seed(1)
        built = build_model(TransformerConfig(**sizes, encoder_layers=2, decoder_layers=2, **KINDS[kind])).eval()
        for parameter in built.parameters():
            torch.nn.init.normal_(parameter, mean=float(parameter.dim() == 1), std=0.5)
        model = tmp_path / "model"
        save_model(model, built, weights_of(built), tokenizer(), [("zh", "en"), ("en", "zh")], "# Random\n")
    turned = {name: value for name, value in HANDS[hands].items() if kind != "additive" or name != "scale"}
    found = explain("我爱书", "en", "zh", model=model, hands=HandWords(**turned))
    tab = opened(found)
    names = [name for name, tensor in found.shown.trace.tensors.items() if tensor.dtype == np.float32]
    names = [one for one in names if not one.endswith((".mean", ".variance", ".mean_square")) and "log" not in one]
    assert len(names) > 40
    for name in names:
        values = tab.evaluate(
            "(name) => Array.from(tensor(name).values, (one) => one === -Infinity ? 'masked' : one)", name
        )
        ours = np.array([-np.inf if one == "masked" else one for one in values])
        theirs = found.shown.trace[name].ravel()
        finite = np.isfinite(theirs)
        assert (np.isfinite(ours) == finite).all()
        largest = max(1.0, np.abs(theirs[finite]).max())
        assert np.abs(ours[finite] - theirs[finite]).max() <= CLOSE * largest * (8 if "scale" in HANDS[hands] else 1), (
            name
        )
    unfold_all(tab)
    tab.evaluate(CLICK_SOME)
    assert tab.locator(".different").count() == 0


def test_twenty_sentences_and_how_long_each_takes(tmp_path):
    """Sizes are judged; seconds are told (-s), for a busy machine takes longer."""
    rows = []
    for text, to in TWENTY:
        begin = time.perf_counter()
        command = [sys.executable, "-m", "attendo", "explain", text, "--to", to, "--out", str(tmp_path)]
        subprocess.run(command, check=True, capture_output=True)
        seconds = time.perf_counter() - begin
        size = (tmp_path / "explain.html").stat().st_size
        pieces = len(GLASS.tokenizer.encode(text))
        rows.append((pieces, size, seconds))
        assert size < (2_000_000 if pieces <= 12 else 10_000_000), (text, size)
    print(rows)
