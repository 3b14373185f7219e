"""The box and the list of programs in a real browser: they translate, connect, and run nothing that a text, an answer
or a link holds.
"""

import json

import pytest

import attendo
from attendo.server.access import Access, digest_of
from tests.page.glass_page import looked, typed
from tests.page.payloads import PAYLOADS
from tests.server.live_server import live
from tests.server.page_clients import CLIENTS

pytestmark = pytest.mark.slow
KEY = "a-key-of-ours"


def answer_with(tab, path, body, status=200, headers=None):
    tab.route(
        f"**{path}",
        lambda route: route.fulfill(
            status=status, body=json.dumps(body), headers={"content-type": "application/json", **(headers or {})}
        ),
    )


def rich(text, **more):
    return {"translations": [{"text": text, "from": "zh", "to": "en", "detected": None, "alternatives": [], **more}]}


def shown(tab, name):
    return as_shown(tab.evaluate("(name) => document.getElementById(name).textContent", name))


def as_shown(text):
    """On its way through the tools of this test a NUL becomes something else."""
    return text.replace("\x00", "\ufffd")


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
@pytest.mark.parametrize("width", [360, 1280])
def test_it_looks_right_on_every_screen(opened, server, width, locale, scheme):
    tab = opened(server, width, scheme, locale)
    assert typed(tab, "我爱机器学习。") == "I love machine learning."
    tab.evaluate("document.querySelectorAll('details').forEach((one) => { one.open = true; })")
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    assert tab.locator("html").get_attribute("lang") == ("en" if locale == "en-US" else "zh-Hans")
    paper = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    assert (paper == "rgb(247, 248, 250)") == (scheme == "light")
    tab.click("#theme")
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") != paper
    tab.click("#language")
    assert tab.inner_text("#connect-title") == ("接入" if locale == "en-US" else "Connect")
    tab.wait_for_timeout(800)  # the link in the address follows
    tab.reload()
    tab.wait_for_selector(".card")
    looked(tab)
    assert tab.inner_text("#connect-title") == ("接入" if locale == "en-US" else "Connect")
    assert tab.evaluate("getComputedStyle(document.body).backgroundColor") != paper


def test_words_light_up_both_ways_and_by_the_keyboard(opened, server):
    tab = opened(server)
    typed(tab, "我爱机器学习。")
    assert tab.inner_text("#from option:checked") == "Chinese, detected"
    tab.locator("#translation .word", has_text="machine").hover()
    assert tab.locator("#mirror .lit").all_inner_texts() == ["机器"]
    assert tab.inner_text("#word-note").startswith("machine ← 机器")
    tab.mouse.move(0, 0)
    assert tab.inner_text("#word-note").startswith("Point at a word")
    # The text field itself lies above its words: the pointer goes to where 学习 stands.
    place = tab.locator("#mirror .word", has_text="学习").bounding_box()
    tab.mouse.move(place["x"] + place["width"] / 2, place["y"] + place["height"] / 2)
    assert tab.locator("#translation .lit").all_inner_texts() == ["learning"]
    tab.mouse.move(0, 0)
    tab.locator("#translation .word").first.focus()
    for _ in range(3):
        tab.keyboard.press("ArrowRight")
    assert tab.evaluate("document.activeElement.textContent") == "learning"
    assert tab.locator("#mirror .lit").all_inner_texts() == ["学习"]
    tab.locator("#source").focus()
    tab.keyboard.press("Control+Home")
    tab.locator("#translation .lit").wait_for()
    assert tab.locator("#translation .lit").all_inner_texts() == ["I"]


def test_what_is_unsure_lost_or_doubtful_is_marked(opened, server):
    tab = opened(server)
    words = [{"text": "Books", "start": 3, "end": 8, "logp": -2.5}, {"text": "I", "start": 9, "end": 10, "logp": -0.1}]
    alignment = [{"target": [3, 8], "source": [[2, 3, 0.9]]}, {"target": [9, 10], "source": [[3, 4, 0.8]]}]
    known = {"words": words, "alignment": alignment, "doubtful": True, "remarks": ["A remark."]}
    answer_with(tab, "/api/translate", rich("𠮷😀 Books I", alternatives=["𠮷😀 Book I"], **known))
    # Characters that are two for the browser and one for the server come first on both sides.
    tab.fill("#source", "😀 书我图书馆的")
    tab.locator("#translation .unsure").wait_for()
    assert tab.locator("#translation .unsure").all_inner_texts() == ["Books"]
    assert tab.locator("#mirror .lost").all_inner_texts() == ["图书馆"]
    assert tab.locator("#doubt").is_visible()
    assert tab.inner_text("#remarks li") == "A remark."
    assert tab.inner_text("#alternatives li mark") == "Book"
    assert tab.locator("#legend-lost").is_visible()


def test_languages_are_swapped_and_the_target_is_remembered(opened, server):
    tab = opened(server)
    tab.select_option("#to", "de")
    assert typed(tab, "The house is old.") == "Das Haus ist alt."
    tab.click("#swap")
    tab.locator("#translation", has_text="The house").wait_for()
    assert (tab.input_value("#source"), tab.input_value("#from"), tab.input_value("#to")) == (
        "Das Haus ist alt.", "de", "en",
    )  # fmt: skip
    tab.reload()
    tab.wait_for_selector(".card")
    assert tab.input_value("#to") == "en"
    # A text that is in the target language already goes into another, and the page says so.
    typed(tab, "The house is old.")
    assert "English" in tab.inner_text("#switched")
    assert tab.input_value("#to") != "en"
    tab.select_option("#to", "zh-Hans")
    typed(tab, "Das Haus ist alt.")
    tab.locator("#switched", has_text="no model from German into Simplified Chinese").wait_for()
    stored = tab.evaluate("[...Object.keys(localStorage), ...Object.keys(sessionStorage)]")
    assert sorted(stored) == ["attendo.target"]
    assert tab.url == server.address + "/"


def test_a_long_text_comes_sentence_by_sentence(opened, server):
    tab = opened(server)
    asked = []
    tab.on("request", lambda request: asked.append(request.url))
    tab.fill("#source", "The house is old. The garden is large and green. " * 60)
    tab.locator("#took:not(:empty)").wait_for()
    assert server.address + "/api/translate/stream" in asked
    assert tab.inner_text("#translation").count("。") == 120


def test_errors_are_one_line_and_a_busy_server_is_asked_again(opened, server):
    tab = opened(server)
    tab.fill("#source", "很" * 50_001)
    tab.locator("#error", has_text="at most 50,000").wait_for()
    busy = {"error": "busy", "kind": "busy", "retry_after": 2}
    answer_with(tab, "/api/translate", busy, 503, {"retry-after": "2"})
    tab.fill("#source", "我爱机器学习。")
    tab.locator("#error", has_text="trying again in 2 s").wait_for()
    tab.unroute("**/api/translate")
    tab.locator("#translation", has_text="I love machine learning.").wait_for()
    assert tab.inner_text("#error") == ""
    for status, body, line in [
        (413, {"error": "too much"}, "Too long"),
        (403, {"error": "pages of 'x' may not", "kind": "origin"}, "refuses this page"),
        (401, {"error": "Invalid API key", "kind": "key"}, "needs a key"),
        (400, {"error": "no such thing"}, "Error 400: no such thing"),
    ]:
        answer_with(tab, "/api/translate", body, status)
        tab.fill("#source", f"你好 {status}")
        tab.locator("#error", has_text=line).wait_for()
        tab.unroute("**/api/translate")


def test_letters_gather_while_a_text_is_translated(opened, server):
    """One request at a time: those that come meanwhile are asked for together, and the last is what is shown."""
    tab = looked(opened(server))
    under_way, most, asked = set(), [0], []

    def begun(request):
        if request.url.endswith("/api/translate"):
            asked.append(request)
            under_way.add(request)
            most[0] = max(most[0], len(under_way))

    tab.on("request", begun)
    tab.on("requestfinished", lambda request: under_way.discard(request))
    tab.on("requestfailed", lambda request: under_way.discard(request))
    text = "我爱机器学习。今天天气很好。他昨天买了三本书。"
    assert typed(tab, text).count(".") == 3
    assert most[0] == 1
    assert len(asked) < len(text) / 2


def test_every_program_can_be_tested(opened, server):
    tab = opened(server)
    for name in CLIENTS:
        tab.locator(f"#client-{name} .test").click()
        tab.locator(f"#client-{name} .result b").wait_for()
        result = tab.inner_text(f"#client-{name} .result")
        assert ("It works" in result) == (name != "dialect"), (name, result)
        assert " ms" in result
    assert "expected LibreTranslate" in tab.inner_text("#client-dialect .result")
    tab.fill("#find-client", "zotero deeplx")
    assert tab.locator(".card").count() == 1
    tab.fill("#find-client", "nothing of the kind")
    assert "No program" in tab.inner_text("#found")
    tab.fill("#find-client", "")
    tab.get_by_role("button", name="Servers").click()
    assert {"client-mastodon", "client-weblate"} < {one.get_attribute("id") for one in tab.locator(".card").all()}


def test_an_address_is_copied_with_its_key_which_is_not_shown(opened):
    with live(attendo.load(threads=1), access=Access(keys=frozenset({digest_of(KEY)}))) as locked:
        tab = opened(locked)
        tab.context.grant_permissions(["clipboard-read", "clipboard-write"])
        assert tab.inner_text("#client-immersive code").endswith("/imme?token=YOUR-KEY")
        tab.fill("#key", KEY)
        tab.click("#key-form button")
        assert typed(tab, "我爱机器学习。") == "I love machine learning."
        assert KEY not in tab.inner_text("body")
        tab.locator("#client-immersive .copy").click()
        tab.locator("#client-immersive .copy.done").wait_for()
        assert tab.evaluate("navigator.clipboard.readText()") == f"{locked.address}/imme?token={KEY}"
        tab.locator("#client-weblate-deepl .test").click()
        tab.locator("#client-weblate-deepl .result.good").wait_for()
        assert tab.evaluate("Object.keys(localStorage)") == []


@pytest.mark.parametrize("number", range(len(PAYLOADS)))
def test_nothing_that_is_written_is_run(opened, server, number):
    """As the text, its translation, the remarks, an error, what a program's test shows, and in the link."""
    payload = PAYLOADS[number]
    assert len(PAYLOADS) == 30
    tab = opened(server, fragment="#" + payload)
    tab.fill("#source", payload)
    tab.wait_for_timeout(500)
    start, end = 0, len(payload)
    words = [{"text": payload, "start": start, "end": end, "logp": -3}]
    alignment = [{"target": [start, end], "source": [[start, end, 1.0]]}]
    extra = {"alternatives": [payload + "!"], "remarks": [payload], "doubtful": True}
    answer_with(tab, "/api/translate", rich(payload, words=words, alignment=alignment, **extra))
    answer_with(tab, "/imme", {"translations": [{"text": payload}]})
    answer_with(tab, "/kiss", {"error": payload}, 400)
    tab.fill("#source", payload + " ")
    tab.locator("#remarks li").wait_for()
    assert shown(tab, "translation") == as_shown(payload)
    tab.locator("#translation .word").first.hover(force=True)
    for name in ("immersive", "kiss"):
        tab.locator(f"#client-{name} .test").click()
        tab.locator(f"#client-{name} .result b").wait_for()
    tab.unroute("**/api/translate")
    answer_with(tab, "/api/translate", {"error": payload}, 400)
    tab.fill("#source", payload + "?")
    tab.locator("#error:not(:empty)").wait_for()
    assert as_shown(payload) in shown(tab, "error")
    tab.fill("#find-client", payload)
    tab.wait_for_timeout(100)
