"""The page in a real browser: Playwright for Python with the Chromium of the system; `make test-page` has both.

Where one of them is missing these tests are skipped, and say so.
"""

from pathlib import Path

import pytest

import attendo
from tests.page.glass_page import CHROMIUM
from tests.server.live_server import live

LOADING = "Failed to load resource"  # what a browser says of every answer that is an error, where one is expected


def pytest_collection_modifyitems(items):
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.page)


MEASURED = pytest.StashKey[list]()


@pytest.fixture
def measured(pytestconfig):
    """A number for the end of the run: measured("a step", 12.3, "ms", 100). A busy machine has three times as long."""

    def note(what, value, unit, limit):
        pytestconfig.stash.setdefault(MEASURED, []).append(f"{what}: {value:.4g} {unit} (at most {limit} {unit})")
        assert value <= 3 * limit, f"{what}: {value:.4g} {unit}, expected at most {limit}"

    return note


def pytest_terminal_summary(terminalreporter, config):
    for line in config.stash.get(MEASURED, []):
        terminalreporter.write_line(line)


@pytest.fixture(scope="session")
def server():
    """With the model that comes with attendo."""
    with live(attendo.load(threads=1)) as one:
        yield one


@pytest.fixture(scope="session")
def browser():
    sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright for Python is not installed")
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def opened(browser):
    """The page in a context of its own; in the end nobody else was asked, nothing was run, nothing complained."""
    contexts, asked, complaints, dialogs = [], [], [], []

    def open_page(server, width=1280, scheme="light", locale="en-US", fragment="", height=900, **more):
        size = {"width": width, "height": height}
        context = browser.new_context(viewport=size, color_scheme=scheme, locale=locale, **more)
        contexts.append(context)
        tab = context.new_page()
        tab.on("request", lambda request: asked.append((server.address, request.url)))
        tab.on("console", lambda message: complaints.append(message.text))
        tab.on("pageerror", lambda error: complaints.append(str(error)))
        tab.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
        tab.goto(server.address + "/" + fragment)
        tab.wait_for_selector("html.ready .card", timeout=15_000)
        return tab

    yield open_page
    harmed = [page.evaluate("window.harmed") for context in contexts for page in context.pages]
    kept = [context.cookies() for context in contexts]
    for context in contexts:
        context.close()
    assert harmed == [None] * len(harmed)
    assert dialogs == []
    assert [url for address, url in asked if not url.startswith((address + "/", "data:", f"blob:{address}/"))] == []
    assert [text for text in complaints if LOADING not in text] == []
    assert kept == [[]] * len(kept)
