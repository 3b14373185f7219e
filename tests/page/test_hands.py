"""Every hand once, on the page; what it then shows is what the glass computes with the same hands."""

import pytest

from attendo.glass.hands import Hands
from attendo.glass.look import look
from tests.glass.sentences import glass
from tests.page.glass_page import SENTENCE, look_of, looked, looked_at, state_of


def by_name(tab, role, name):
    return tab.locator("#hands").get_by_role(role, name=name, exact=True)


def choose(tab, group, option):
    by_name(tab, "group", group).get_by_role("button", name=option, exact=True).click()


def turn_off(tab, *parts):
    for part in parts:
        by_name(tab, "button", f"off: {part}").click()


def turn_temperature(tab):
    slider = tab.locator("#hands input[type=range]")
    slider.focus()
    for _ in range(30):
        tab.keyboard.press("ArrowRight")
    tab.wait_for_timeout(300)


# The hand, and how it is laid on. One head or layer alone is not missed by this sentence: the others make up for it.
HANDS = {
    "erase": lambda tab: by_name(tab, "button", "erase 机器").click(),
    "heads_off": lambda tab: turn_off(tab, *(f"cross-attention, layer 2, head {head}" for head in range(1, 5))),
    "feed_forward_off": lambda tab: turn_off(tab, *(f"feed-forward of the encoder, layer {one}" for one in (1, 2, 3))),
    "causal_mask": lambda tab: choose(tab, "causal mask", "off"),
    "positions": lambda tab: choose(tab, "positions", "shuffled"),
    "scale": lambda tab: choose(tab, "1/√d_k", "off"),
    "temperature": turn_temperature,
}


def of_glass(tab):
    """What the page shows is what the same hands do in Python."""
    shown = look_of(tab)
    found = look(shown["text"], "en", "zh", glass(), shown["beam"], Hands.from_dict(shown["hands"]))
    assert shown["translation"] == found.translation
    assert shown["target"]["ids"] == list(found.best.ids)
    return shown


@pytest.fixture
def opened_hands(opened, server):
    tab = looked(opened(server))
    looked_at(tab, SENTENCE)
    tab.click("#hands-panel")
    return tab


def test_every_hand(opened_hands):
    tab, plain = opened_hands, look_of(opened_hands)["translation"]
    others = 0
    for name, lay in HANDS.items():
        lay(tab)
        looked(tab)
        shown = of_glass(tab)
        assert set(shown["hands"]) - {"seed"} == {name}
        assert shown["comparison"]["translation"] == plain
        changed = tab.locator("#hands-panel-changed")
        assert plain in changed.inner_text()
        assert shown["translation"] in changed.inner_text()
        others += shown["translation"] != plain
        tab.locator("#hands .undo-all").click()
        looked(tab)
        assert look_of(tab)["hands"] == {}
        assert look_of(tab)["translation"] == plain
        assert changed.locator(".comparison").count() == 0
    assert others >= 3


def test_hands_add_up_and_are_taken_off_one_by_one(opened_hands):
    tab = opened_hands
    for name in ("erase", "scale", "positions"):
        HANDS[name](tab)
        looked(tab)
    assert set(of_glass(tab)["hands"]) - {"seed"} == {"erase", "scale", "positions"}
    by_name(tab, "button", "shuffle again").click()
    looked(tab)
    assert of_glass(tab)["hands"]["seed"] == 2
    for left in (2, 1, 0):
        tab.locator("#hands-panel-on .hand").first.click()
        looked(tab)
        assert len(set(of_glass(tab)["hands"]) - {"seed"}) == left


def test_an_erased_word_tells_how_far_each_probability_fell(opened_hands):
    tab = opened_hands
    HANDS["erase"](tab)
    looked(tab)
    shown = look_of(tab)
    assert "machine" not in shown["translation"]
    assert shown["comparison"]["parts_at"] == 2
    words = tab.locator("#hands-panel-changed").inner_text()
    assert "step 3" in words
    assert "machine" in words


def test_a_head_is_switched_off_where_it_stands(opened_hands):
    tab = opened_hands
    tab.locator("#encoder-0-self_attention .lay-hand").first.click()
    looked(tab)
    shown = of_glass(tab)
    assert [where for where, layer, _ in shown["hands"]["heads_off"] if layer == 0] == ["encoder"]
    beside = tab.locator("#encoder-0-self_attention .was-and-now").first
    assert shown["translation"] in beside.inner_text()
    beside.get_by_role("link").click()
    tab.wait_for_function("document.getElementById('comparison').getBoundingClientRect().top < innerHeight / 2")


def test_force_a_word(opened_hands):
    tab = opened_hands
    tab.locator("#output [data-step='1']").click()
    looked(tab)
    button = tab.locator("#output [data-say]").first
    piece = int(button.get_attribute("data-say"))
    button.click()
    looked(tab)
    shown = of_glass(tab)
    assert shown["hands"]["force"]["2"] == piece
    assert shown["target"]["ids"][1] == piece
    assert state_of(tab)["step"] == 1
    assert "forced" in tab.inner_text("#output .chosen-mark")
    tab.locator("#output .let-go").click()
    looked(tab)
    assert look_of(tab)["hands"] == {}


@pytest.mark.parametrize("how", ["click", "keyboard"])
def test_go_on_from_a_loser_of_the_search(opened_hands, how):
    tab = opened_hands
    tab.locator("#search [data-step='2']").click()
    looked(tab)
    if how == "click":
        lost = tab.locator("#search .tree .node.lost").last
        lost.scroll_into_view_if_needed()
        node = int(lost.get_attribute("data-node"))
        lost.click()
    else:
        tab.locator("#search .tree [tabindex='0']").focus()
        while "lost" not in tab.evaluate("document.activeElement.getAttribute('class')"):
            tab.keyboard.press("ArrowDown")
        node = int(tab.evaluate("document.activeElement.dataset.node"))
        tab.keyboard.press("Enter")
    nodes, path = look_of(tab)["search"]["nodes"], []
    while nodes[node][0] is not None:
        path.insert(0, nodes[node][2])
        node = nodes[node][0]
    looked(tab)
    tab.wait_for_function("() => document.querySelector('#search .forced-line, #output .forced-line')")
    shown = of_glass(tab)
    assert shown["target"]["ids"][: len(path)] == path
    assert list(shown["hands"]["force"].values()) == path
