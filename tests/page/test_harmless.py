"""Thirty texts that would run: as text, as the name of a model, as pieces and labels, in the address; none does."""

import json

from tests.page.glass_page import look_of, looked
from tests.page.payloads import PAYLOADS
from tests.page.test_connect import as_shown

LOOKED_AT = "(text) => import('/glass/look.js').then((one) => one.DATA.text === text)"
# A link that says it, as the page writes links.
LINK = """async (text) => {
  const { fragmentOf } = await import('/page/link.js');
  return fragmentOf({ box: '', text, to: 'en', from: 'zh', beam: 1, hands: {}, target: text, station: 'overview',
    layer: 0, decoderLayer: 0, position: 1, step: 0, heads: {}, language: 'en' });
}"""


def test_nothing_that_is_written_is_run(opened, server, evidence):
    tab = looked(opened(server))
    payload = ""

    def other_names(route):
        """What the server says, with the payload for the name of its model and for every piece."""
        answer = route.fetch()
        found = answer.json()
        if "models" in found:
            found["models"] = [{**one, "name": payload} for one in found["models"]]
        if "pieces" in found:
            found["model"] = payload
            found["pieces"] = dict.fromkeys(found["pieces"], payload)
            found["source"]["labels"] = [payload] * len(found["source"]["labels"])
        route.fulfill(response=answer, body=json.dumps(found))

    tab.route("**/api/info", other_names)
    tab.route("**/api/glass", other_names)
    for payload in PAYLOADS:
        fragment = tab.evaluate(LINK, payload)
        assert fragment.startswith("#g=")
        tab.evaluate("(fragment) => { location.hash = fragment; }", fragment)
        tab.wait_for_function(LOOKED_AT, arg=payload)
        looked(tab)
        assert look_of(tab)["model"] == payload
        assert as_shown(payload) in as_shown(tab.evaluate("document.getElementById('stations').textContent"))
        tab.evaluate("(text) => { location.hash = text; }", payload)
        tab.fill("#source", payload)
        tab.locator("#translation:not(:empty), #error:not(:empty)").first.wait_for()
    tab.unroute_all(behavior="ignoreErrors")
    assert len(PAYLOADS) == 30
    evidence("S16", "texts that would run, as text, link, name of a model and pieces: run", f"0 of {len(PAYLOADS)}")


def test_only_what_is_served_runs(browser, server):
    """The strict policy in the head of the answer, and in fact: a script that somehow came into the page is not run."""
    policy = server.ask("GET", "/").headers["content-security-policy"]
    rules = dict(rule.strip().partition(" ")[::2] for rule in policy.split(";"))
    assert rules["default-src"] == "'none'"
    assert rules["script-src"] == "'self'"
    assert "unsafe" not in policy
    assert "*" not in policy
    context = browser.new_context()
    tab = context.new_page()
    tab.goto(server.address + "/")
    looked(tab)
    assert tab.locator("script:not([src])").count() == 0
    assert tab.evaluate("[...document.scripts].every((one) => new URL(one.src).origin === location.origin)")
    tab.evaluate(
        "() => { const one = document.createElement('script'); one.textContent = 'window.harmed = 1'; "
        "document.body.append(one); const other = document.createElement('div'); document.body.append(other); "
        "other.setAttribute('onclick', 'window.harmed = 2'); other.click(); }"
    )
    assert tab.evaluate("window.harmed") is None
    context.close()
