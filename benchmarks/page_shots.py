"""Screenshots of the server's page, of a server that is started for them, in the Chromium of the system.

python -m benchmarks.page_shots        writes docs/figures/page-NAME.png
"""

import shutil
import sys
from typing import NamedTuple

from playwright.sync_api import Browser, Page, sync_playwright

from benchmarks.drawings import FIGURES
from benchmarks.serve.__main__ import Server, running

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
LARGEST = 300_000  # bytes of a picture
SENTENCE = "昨天下午我去了北京的图书馆，借了三本书。"
SHORT = "我爱机器学习。"
ENGLISH = "The museum opens at nine."
DRAWN = """() => !document.querySelector('#glass.working') && document.querySelector('#stations .station')
  && ![...document.querySelectorAll('#stations .patient > p.quiet')].some((one) => one.textContent === '…')"""


class Shot(NamedTuple):
    name: str
    text: str
    top: str = "header"  # what stands at the top of the picture
    clicks: tuple[str, ...] = ()  # before it is taken
    width: int = 1280
    height: int = 860
    scheme: str = "light"
    locale: str = "en-US"


SHOTS = (
    Shot("translate", SENTENCE),
    Shot("attention", SHORT, "#encoder-0-self_attention", ("#encoder-0-self_attention table.rows td[data-cell]",)),
    Shot("tree", SHORT, "#search", ("#search [data-step='2']",)),
    Shot("hands", SHORT, "#hands", ("#hands-panel", "#hands .erasable >> nth=2")),
    Shot("phone", SHORT, width=390, height=844),
    Shot("attention.zh", ENGLISH, "#decoder", ("#decoder [data-step='4']",), scheme="dark", locale="zh-CN"),
)


def main() -> None:
    if CHROMIUM is None:
        sys.exit("python -m benchmarks.page_shots needs a Chromium on the machine")
    server = Server([sys.executable, "-m", "attendo", "serve", "--port", "{port}"])
    with running(server) as port, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        for shot in SHOTS:
            taken(browser, f"http://127.0.0.1:{port}/", shot)
        browser.close()


def taken(browser: Browser, address: str, shot: Shot) -> None:
    context = browser.new_context(
        viewport={"width": shot.width, "height": shot.height},
        color_scheme="dark" if shot.scheme == "dark" else "light",
        locale=shot.locale,
        reduced_motion="reduce",
    )
    tab = context.new_page()
    tab.goto(address)
    tab.wait_for_function(DRAWN)
    tab.fill("#source", shot.text)
    tab.locator("#translation:not(:empty)").wait_for()
    settled(tab)
    for selector in shot.clicks:
        tab.locator(selector).first.click()
        settled(tab)
    tab.mouse.move(0, 0)
    tab.evaluate("(top) => document.querySelector(top).scrollIntoView()", shot.top)
    settled(tab)
    path = FIGURES / f"page-{shot.name}.png"
    tab.screenshot(path=path)
    context.close()
    size = path.stat().st_size
    print(f"{path} {size / 1000:.0f} KB")
    if size > LARGEST:
        sys.exit(f"{path} has {size:,} bytes: expected at most {LARGEST:,}")


def settled(tab: Page) -> None:
    tab.wait_for_timeout(600)
    tab.wait_for_function(DRAWN)


if __name__ == "__main__":
    main()
