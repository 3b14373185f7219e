"""What a reader takes away: pictures, and links that bring back what was looked at; models and keys of their own."""

import json
import re

import pytest
from lxml import etree

import attendo
from attendo.server.access import Access, digest_of
from tests.inspection.small_models import save
from tests.page.glass_page import SENTENCE, look_of, looked, looked_at, state_of, typed
from tests.server.live_server import live

KEY = "a-key-of-ours"
SVG = "{http://www.w3.org/2000/svg}"
STATION = "import('/page/machine.js').then((one) => one.stationInView())"
PNG = b"\x89PNG\r\n\x1a\n"


def saved(tab, button):
    tab.wait_for_timeout(200)  # a browser lets a page save but ten files in a moment
    with tab.expect_download() as download:
        button.click()
    return download.value


def test_pictures_are_saved(opened, server):
    """Every picture of the page as SVG, which is XML, whole in itself and without scripts; some as PNG."""
    tab = looked(opened(server))
    looked_at(tab, SENTENCE)
    buttons = tab.locator("[data-save=svg]:visible").all()
    assert len(buttons) >= 4
    names = set()
    for button in buttons:
        file = saved(tab, button)
        names.add(file.suggested_filename)
        text = file.path().read_bytes()
        tree = etree.fromstring(text, etree.XMLParser(resolve_entities=False, no_network=True))
        assert tree.tag == f"{SVG}svg"
        assert float(tree.get("width")) > 50
        assert float(tree.get("height")) > 20
        assert not list(tree.iter(f"{SVG}script", "{*}foreignObject", "{*}iframe"))
        attributes = [(name.rpartition("}")[2], value) for one in tree.iter() for name, value in one.attrib.items()]
        assert [name for name, _ in attributes if name.startswith("on")] == []
        assert [value for name, value in attributes if name == "href" and not value.startswith(("#", "data:"))] == []
        assert not re.search(rb"url\(\s*[\"']?(?!#|data:)", text)
        assert len("".join(tree.itertext()).strip()) > 2, file.suggested_filename  # letters are letters, not drawings
    assert len(names) == len(buttons)
    for button in (tab.locator("[data-save=png]:visible").first, tab.locator("[data-save=png]:visible").last):
        image = saved(tab, button).path().read_bytes()
        assert image.startswith(PNG)
        width, height = (int.from_bytes(image[at : at + 4]) for at in (16, 20))
        assert min(width, height) > 40
        assert len(image) > 1500


def test_a_saved_station_is_whole_and_has_no_buttons(opened, server):
    tab = looked(opened(server))
    looked_at(tab, SENTENCE)
    tab.set_viewport_size({"width": 390, "height": 800})
    tab.evaluate("document.querySelector('#output .step-pieces').scrollLeft = 30")
    file = saved(tab, tab.locator("#output > .saving [data-save=svg]"))
    words = [one.text for one in etree.parse(file.path()).iter(f"{SVG}text")]
    assert "</s>" in words
    assert not any("say" in one for one in words)
    assert tab.evaluate("document.querySelector('#output .step-pieces').scrollLeft") == 30
    assert tab.locator(".whole").count() == 0


def test_a_link_brings_back_text_hands_station_and_step(opened, server):
    tab = looked(opened(server))
    looked_at(tab, "他昨天买了三本书。")
    tab.click("#hands-panel")
    tab.locator("#hands .erasable").nth(2).click()
    looked(tab)
    tab.locator("#output [data-step='2']").click()
    tab.locator("#output").scroll_into_view_if_needed()
    tab.evaluate("document.getElementById('output').scrollIntoView()")
    tab.wait_for_timeout(1200)
    assert "#g=" in tab.url
    assert len(tab.url) < 2048
    before, chosen = look_of(tab), state_of(tab)
    other = looked(opened(server, fragment="#" + tab.url.partition("#")[2]))
    other.wait_for_function("() => document.querySelector('#translation:not(:empty)')")
    other.wait_for_timeout(1500)  # it scrolls to its station
    looked(other)
    after = look_of(other)
    for part in ("text", "translation", "hands", "beam", "languages"):
        assert after[part] == before[part], part
    assert after["hands"]["erase"]
    assert other.input_value("#source") == "他昨天买了三本书。"
    assert other.input_value("#from") == ""  # the language was detected, and is again
    for part in ("step", "position", "layer", "decoderLayer", "language"):
        assert state_of(other)[part] == chosen[part], part
    assert other.evaluate(STATION) == tab.evaluate(STATION) == "output"


@pytest.mark.parametrize(
    "fragment",
    ["#g=", "#g=!!!", "#g=AAAA", "#g=" + "A" * 3000, "#g=eyJ0ZXh0IjoxfQ", "#nothing-of-the-kind", "#output"],
)
def test_a_link_that_says_nothing_does_no_harm(opened, server, fragment):
    tab = looked(opened(server, fragment=fragment))
    assert look_of(tab)["text"] == SENTENCE
    if fragment.startswith("#g="):
        assert tab.inner_text("#glass-line")


def test_an_own_model(opened, tmp_path):
    """Of another size and with another vocabulary than the one that comes with attendo."""
    folder = save("transformer", tmp_path / "mine")
    with live(attendo.load(folder, engine="torch", device="cpu", threads=1)) as server:
        tab = opened(server)
        tab.locator("#source").press_sequentially("老师爱书")
        tab.locator("#translation:not(:empty), #error:not(:empty)").first.wait_for()
        looked(tab)
        shown = look_of(tab)
        assert shown["text"] == "老师爱书"
        assert (shown["config"]["d_model"], shown["config"]["encoder_layers"]) == (16, 2)
        assert tab.locator("#encoder-0-self_attention").is_visible()
        tab.locator("#encoder-0-self_attention table.rows td[data-cell]").first.click()
        assert tab.locator("#encoder-0-self_attention .unfolding .terms li").count() == 8
        tab.locator("#output [data-step-button=next]").click(force=True)
        looked(tab)
        assert tab.locator(".different").count() == 0


def test_a_server_with_a_key(opened):
    with live(attendo.load(threads=1), access=Access(keys=frozenset({digest_of(KEY)}))) as server:
        tab = opened(server)
        assert tab.locator("#stations .station").count() == 0
        assert tab.locator("#key").is_visible()
        tab.fill("#key", KEY)
        tab.keyboard.press("Enter")
        looked(tab)
        assert typed(tab, SENTENCE) == "I love machine learning."
        looked(tab)
        tab.locator("#output [data-step='1']").click()
        looked(tab)
        assert KEY not in tab.url
        assert KEY not in json.dumps(tab.evaluate("({ ...localStorage })"))
        assert tab.inner_text("#glass-line") == ""
