"""For everybody: no serious finding of axe-core, usable by the keyboard alone, readable on every screen."""

from pathlib import Path

import pytest

from tests.page.glass_page import SENTENCE, looked, looked_at, unfold_all

SEVERE = ("serious", "critical")
WIDTHS = (360, 768, 1280, 3840)
RUN_AXE = """() => axe.run(document, { resultTypes: ['violations'] }).then((found) => found.violations.map((one) =>
  [one.impact, one.id, one.nodes.length,
    one.nodes.slice(0, 4).map((node) => `${node.target.join(' ')} ${node.html}`)]))"""
# Boxes whose text is cut: more in them than they show, and no way to scroll to it.
CUT = """() => [...document.querySelectorAll('button, h1, h2, h3, h4, summary, a, label, dt, dd, p')]
  .filter((one) => one.offsetParent && one.getClientRects().length && !one.closest('.unseen, .skip'))
  .filter((one) => getComputedStyle(one).overflowX !== 'visible' && getComputedStyle(one).overflowX !== 'auto')
  .filter((one) => one.scrollWidth > one.clientWidth + 1)
  .map((one) => `${one.tagName}#${one.id}.${one.className}: ${one.textContent.slice(0, 60)}`)"""
# What stands out over the right or left edge of the screen, but for what scrolls in a box of its own.
OUTSIDE = """() => {
  const inside = (one) => { for (let up = one.parentElement; up; up = up.parentElement)
    if (['auto', 'scroll', 'hidden', 'clip'].includes(getComputedStyle(up).overflowX)) return true; return false; };
  return [...document.querySelectorAll('body *')].filter((one) => {
    const box = one.getBoundingClientRect();
    return box.width && !one.closest('.unseen, .skip') && (box.right > innerWidth + 1 || box.left < -1) && !inside(one);
  }).slice(0, 5).map((one) => `${one.tagName}#${one.id}.${one.getAttribute('class')} ${one.textContent.slice(0, 40)}`);
}"""


@pytest.fixture(scope="session")
def axe():
    package = pytest.importorskip("axe_playwright_python", reason="axe-playwright-python is not installed")
    return (Path(package.__path__[0]) / "axe.min.js").read_text(encoding="utf-8")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_axe_finds_nothing_serious(opened, server, axe, locale, scheme, evidence):
    tab = opened(server, scheme=scheme, locale=locale, bypass_csp=True, reduced_motion="reduce")
    looked_at(looked(tab), SENTENCE)
    tab.evaluate(axe)
    found = tab.evaluate(RUN_AXE)
    unfold_all(tab, "#glass")
    found += tab.evaluate(RUN_AXE)
    severe = [one for one in found if one[0] in SEVERE]
    assert severe == []
    evidence("G3", f"serious or critical findings of axe-core, {locale[:2]}, {scheme}", "0")


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_wider_than_the_screen_or_cut(opened, server, width, locale):
    tab = opened(server, width, locale=locale, height=2160 if width == max(WIDTHS) else 900)
    looked_at(looked(tab), "今天天气很好，我们一起去公园散步，然后在湖边吃午饭。")
    for _ in ("folded", "unfolded"):
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        assert tab.evaluate(OUTSIDE) == []
        assert tab.evaluate(CUT) == []
        unfold_all(tab, "#glass")
