"""What a reader does on the page, and when it is done."""

import shutil

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SENTENCE = "我爱机器学习。"
# The look has come and all that is in view is drawn: nothing says "…".
DRAWN = """() => !document.querySelector('#glass.working') && document.querySelector('#stations .station')
  && ![...document.querySelectorAll('#stations .patient > p.quiet')].some((one) => one.textContent === '…')"""


def looked(tab, timeout=20_000):
    """Waits until the glass shows what was asked for last."""
    for _ in range(2):  # what was drawn may have asked for more
        tab.wait_for_function(DRAWN, timeout=timeout)
        tab.wait_for_timeout(40)
    return tab


def typed(tab, text):
    """The translation that the page shows for a text that is typed, not set."""
    tab.fill("#source", "")
    tab.locator("#translation:empty").wait_for(state="attached")
    tab.locator("#source").press_sequentially(text, delay=5)
    tab.locator("#translation:not(:empty)").wait_for()
    tab.locator("#target-pane:not(.working)").wait_for()
    return tab.inner_text("#translation")


def looked_at(tab, text):
    """Typed, translated, and seen by the glass."""
    shown = typed(tab, text)
    looked(tab)
    return shown


def unfold_all(tab, within="#glass", but=None):
    """Every fold, those inside others, too."""
    closed = f"{within} details:not([open]){f':not({but})' if but else ''} > summary"
    for _ in range(5):
        if not tab.locator(closed).count():
            break
        tab.evaluate("(closed) => document.querySelectorAll(closed).forEach((one) => one.click())", closed)
        tab.wait_for_timeout(100)
        looked(tab)


def look_of(tab):
    """The head of the look that is shown, as the server sent it."""
    return tab.evaluate("import('/glass/look.js').then((one) => one.DATA)")


def state_of(tab):
    return tab.evaluate("import('/glass/state.js').then((one) => JSON.parse(JSON.stringify(one.state)))")


def number(text):
    return float(text.replace("−", "-").replace("∞", "inf"))
