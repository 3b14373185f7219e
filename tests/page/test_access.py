"""For everybody: no serious finding of axe-core, usable by the keyboard alone, readable on every screen."""

from pathlib import Path

import pytest

from tests.page.glass_page import SENTENCE, look_of, looked, looked_at, state_of, unfold_all

SEVERE = ("serious", "critical")
RUN_AXE = """() => axe.run(document, { resultTypes: ['violations'] }).then((found) => found.violations.map((one) =>
  [one.impact, one.id, one.nodes.length,
    one.nodes.slice(0, 4).map((node) => `${node.target.join(' ')} ${node.html}`)]))"""
# Boxes whose text is cut: more in them than they show, and no way to scroll to it.
CUT = """() => [...document.querySelectorAll('button, h1, h2, h3, h4, summary, a, label, dt, dd, p')]
  .filter((one) => one.offsetParent && one.getClientRects().length && !one.closest('.unseen, .skip'))
  .filter((one) => getComputedStyle(one).overflowX !== 'visible' && getComputedStyle(one).overflowX !== 'auto')
  .filter((one) => one.scrollWidth > one.clientWidth + 1)
  .map((one) => `${one.tagName}#${one.id}.${one.className}: ${one.textContent.slice(0, 60)}`)"""
# Letters of a drawing beyond its edge, which nobody sees.
BEYOND = """() => [...document.querySelectorAll('#glass svg text')].filter((one) => {
    const letters = one.getBoundingClientRect(), drawing = one.closest('svg').getBoundingClientRect();
    return letters.width && (letters.left < drawing.left - 1 || letters.right > drawing.right + 1);
  }).map((one) => `${one.closest('[id]').id}: ${one.textContent}`)"""
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


def severe(tab):
    return [one for one in tab.evaluate(RUN_AXE) if one[0] in SEVERE]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_axe_finds_nothing_serious(opened, server, axe, locale, scheme, evidence):
    tab = opened(server, scheme=scheme, locale=locale, bypass_csp=True, reduced_motion="reduce")
    looked_at(looked(tab), SENTENCE)
    tab.evaluate(axe)
    assert severe(tab) == []
    evidence("G3", f"serious or critical findings of axe-core, {locale[:2]}, {scheme}", "0")


@pytest.mark.parametrize(("locale", "scheme"), [("en-US", "light"), ("zh-CN", "dark")])
def test_axe_finds_nothing_serious_in_use(opened, server, axe, locale, scheme):
    """With a hand on, numbers unfolded, the tour beside, and the folds of one layer and of the search open."""
    tab = opened(server, scheme=scheme, locale=locale, bypass_csp=True, reduced_motion="reduce")
    looked_at(looked(tab), SENTENCE)
    tab.evaluate(axe)
    tab.click("#hands-panel")
    tab.locator("#hands .erasable").nth(2).click()
    looked(tab)
    for one in ("#encoder table.rows td[data-cell]", "#output td[data-cell]"):
        tab.locator(one).first.evaluate("(one) => one.click()")
    tab.locator(".tour-start").click()
    tab.locator(".tour-card").wait_for()
    unfold_all(tab, "#search")
    unfold_all(tab, "#encoder-0-self_attention", but="[id$=-rest]")
    looked(tab)
    assert severe(tab) == []


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_with_every_fold_open(opened, server, axe, scheme):
    tab = opened(server, scheme=scheme, bypass_csp=True, reduced_motion="reduce")
    looked_at(looked(tab), "你好。")
    unfold_all(tab, "#glass")
    tab.evaluate(axe)
    tab.set_default_timeout(300_000)
    assert severe(tab) == []


@pytest.mark.parametrize(
    ("width", "locale"), [(360, "en-US"), (360, "zh-CN"), (768, "en-US"), (1280, "zh-CN"), (3840, "en-US")]
)
def test_nothing_is_wider_than_the_screen_or_cut(opened, server, width, locale):
    tab = opened(server, width, locale=locale, height=2160 if width > 2000 else 900)
    looked_at(looked(tab), "今天天气很好，我们一起去公园散步，然后在湖边吃午饭。")
    for _ in ("folded", "unfolded"):
        assert tab.evaluate(OUTSIDE) == []
        assert tab.evaluate("document.documentElement.scrollWidth") <= width
        assert tab.evaluate(CUT) == []
        assert tab.evaluate(BEYOND) == []
        unfold_all(tab, "#glass")


FOCUSABLE = """() => [...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')]
  .filter((one) => one.getClientRects().length && !one.disabled && one.tabIndex >= 0
    && getComputedStyle(one).visibility !== 'hidden').length"""
# What has the focus, whether one sees that it has, and whether it stands on the screen. Within a drawing some line or
# letters look otherwise than without the focus.
FOCUSED = """() => {
  const one = document.activeElement, box = one.getBoundingClientRect(), pane = one.closest('.pane') || one;
  window.visited = window.visited || new Set();
  window.visited.add(one);
  const look = () => [one, ...one.querySelectorAll('*')].map((part) => {
    const { stroke, strokeWidth, fill, textDecoration, outline } = getComputedStyle(part);
    return [stroke, strokeWidth, fill, textDecoration, outline].join();
  }).join();
  const outlined = getComputedStyle(one).outlineStyle !== 'none' && parseFloat(getComputedStyle(one).outlineWidth) >= 1;
  let seen = outlined || getComputedStyle(pane).boxShadow !== 'none';
  if (!seen && one instanceof SVGElement) {
    const focused = look();
    one.blur();
    seen = look() !== focused;
    one.focus({ preventScroll: true });
  }
  return { seen, inPage: one !== document.body, count: window.visited.size,
    inView: box.bottom > 0 && box.top < innerHeight,
    what: `${one.tagName}#${one.id}.${one.getAttribute('class')} ${one.textContent.slice(0, 30)}` };
}"""


def test_everything_is_reached_by_the_tab_key_and_is_seen_to_be(opened, server):
    tab = looked(opened(server, reduced_motion="reduce"))
    looked_at(tab, "你好。")
    tab.evaluate("document.activeElement.blur(); scrollTo(0, 0)")
    count = tab.evaluate(FOCUSABLE)
    assert count > 100
    unseen, outside = [], []
    for _ in range(count + 20):
        tab.keyboard.press("Tab")
        at = tab.evaluate(FOCUSED)
        if not at["inPage"]:
            break
        if not at["seen"]:
            unseen.append(at["what"])
        if not at["inView"]:
            outside.append(at["what"])
    assert at["count"] >= 0.98 * count, (at["count"], count)
    assert unseen == []
    assert outside == []


def test_by_the_keyboard_alone(opened, server):
    """From the address bar: skip to the box, type, go on to a number, unfold it, step, lay a hand on."""
    tab = looked(opened(server))
    tab.keyboard.press("Tab")
    tab.keyboard.press("Enter")  # skip to the text
    tab.keyboard.type(SENTENCE)
    tab.locator("#translation", has_text="machine").wait_for()
    looked(tab)

    def tab_to(selector):
        for _ in range(400):
            tab.keyboard.press("Tab")
            if tab.evaluate("(selector) => document.activeElement.matches(selector)", selector):
                return
        raise AssertionError(f"the tab key does not come to {selector}")

    tab_to("#hands-panel")
    tab.keyboard.press("Enter")
    tab_to(".erasable")
    tab.keyboard.press("Enter")
    looked(tab)
    assert look_of(tab)["hands"]["erase"]
    assert tab.evaluate("document.activeElement.matches('.erasable')")  # the place is kept
    tab_to("#encoder-0-self_attention [data-cell]")
    place = tab.evaluate("document.activeElement.dataset.of")
    tab.keyboard.press("Enter")
    tab.locator(f"[data-place='{place}'] .unfolding").wait_for()
    tab_to("#output .step-bar [data-step]")
    tab.keyboard.press("ArrowRight")
    tab.keyboard.press("ArrowRight")
    assert state_of(tab)["step"] == 2
    assert tab.evaluate("document.activeElement.dataset.step") == "2"
