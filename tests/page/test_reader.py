"""What a reader does with the glass: types, points, unfolds, steps, changes the language, takes the tour."""

import pytest

from tests.page.glass_page import SENTENCE, look_of, looked, looked_at, number, state_of, unfold_all

STOPS = 10
KINDS = "[...document.querySelectorAll('#stations [data-cell]')].map((one) => JSON.parse(one.dataset.cell)[0])"


def test_type_and_point_at_words(opened, server):
    tab = looked(opened(server))
    assert "example" in tab.inner_text("#of-text")
    assert looked_at(tab, SENTENCE) == look_of(tab)["translation"] == "I love machine learning."
    assert look_of(tab)["text"] == SENTENCE
    tab.locator("#translation .word", has_text="machine").hover()
    assert tab.locator("#mirror .lit").all_inner_texts() == ["机器"]


def test_of_several_sentences_the_glass_shows_that_of_the_cursor(opened, server):
    tab = looked(opened(server))
    looked_at(tab, "我爱机器学习。今天天气很好。")
    tab.wait_for_timeout(400)
    assert look_of(looked(tab))["text"] == "今天天气很好。"
    tab.keyboard.press("Control+Home")
    tab.wait_for_timeout(400)
    assert look_of(looked(tab))["text"] == "我爱机器学习。"
    assert "1" in tab.inner_text("#of-text")


def test_a_number_tells_what_made_it_and_is_checked(opened, server):
    tab = looked(opened(server))
    block = tab.locator("#encoder-0-self_attention")
    cell = block.locator("table.rows td[data-cell]").first
    cell.scroll_into_view_if_needed()
    tab.wait_for_timeout(200)  # a page that still scrolls hides what it tells
    cell.hover()
    hint = tab.locator("#factors-hint")
    hint.wait_for()
    assert "q·k" in hint.inner_text()
    cell.click()
    terms = block.locator(".unfolding .terms li")
    assert terms.count() == 64
    products = [number(one.inner_text().split("=")[1]) for one in terms.all()]
    assert sum(products) == pytest.approx(number(cell.inner_text()), abs=0.05)
    block.locator(".unfolding .check button").first.click()
    assert "✓" in block.locator(".unfolding .checked .same").inner_text()
    cell.click()
    assert block.locator(".unfolding").count() == 0


def test_every_kind_of_number_passes_its_check(opened, server):
    """One of each kind that the open stations show; a check that finds another number would say ≠."""
    tab = looked(opened(server))
    for station in ("#embedding", "#encoder"):
        unfold_all(tab, station)
    kinds = set(tab.evaluate(KINDS))
    assert {
        "score",
        "scaled",
        "weight",
        "head",
        "product",
        "norm",
        "add",
        "hidden",
        "x",
        "logit",
        "probability",
    } <= kinds
    checked = 0
    for kind in sorted(kinds):
        one = tab.locator(f"#stations [data-cell^='[\"{kind}\"'][data-of]:visible:not(svg *)").last
        if not one.count():
            continue
        place = one.get_attribute("data-of")
        one.scroll_into_view_if_needed()
        one.click()
        unfolding = tab.locator(f"[data-place='{place}'] .unfolding")
        unfolding.wait_for()
        looked(tab)
        for button in unfolding.locator(".check button").all():
            button.click()
            checked += 1
        assert unfolding.locator(".different").count() == 0, kind
    assert checked >= 6
    assert tab.locator(".different").count() == 0


def test_step_forward_and_back(opened, server):
    tab = looked(opened(server))
    bar = tab.locator("#output .step-bar")
    written = look_of(tab)["target"]["labels"]

    def shown():
        assert bar.locator("[aria-current=step]").inner_text() == written[state_of(tab)["step"]]
        assert written[state_of(tab)["step"]] in tab.locator("#output .piece.new").first.inner_text()
        return state_of(tab)["step"]

    assert shown() == 0
    for name, step in (("next", 1), ("next", 2), ("back", 1), ("last", len(written) - 1), ("next", len(written) - 1),
                       ("first", 0), ("back", 0)):  # fmt: skip
        bar.locator(f"[data-step-button={name}]").click(force=True)  # those with nowhere to go say so, and do nothing
        looked(tab)
        assert shown() == step
    bar.locator("[data-step='3']").click()
    assert shown() == 3
    tab.keyboard.press("ArrowLeft")
    tab.keyboard.press("ArrowLeft")
    assert shown() == 1
    assert tab.evaluate("document.activeElement.textContent") == written[1]
    bar.locator("[data-step-button=play]").click()
    tab.wait_for_function("() => document.querySelector('#output [data-step-button=play]').title === 'play'")
    assert shown() == len(written) - 1


def test_another_language_in_place(opened, server):
    tab = looked(opened(server))
    looked_at(tab, SENTENCE)
    tab.locator("#output [data-step='2']").click()
    english = tab.locator("#stations h2").all_inner_texts()
    before = look_of(tab)["id"], state_of(tab)["step"]
    tab.click("#language")
    looked(tab)
    chinese = tab.locator("#stations h2").all_inner_texts()
    assert all(one != other for one, other in zip(english, chinese, strict=True))
    assert tab.locator("html").get_attribute("lang") == "zh-Hans"
    assert (look_of(tab)["id"], state_of(tab)["step"]) == before
    tab.wait_for_timeout(600)  # the box asks anew in the other language: names of languages are others
    tab.click("#language")
    assert looked(tab).locator("#stations h2").all_inner_texts() == english
    assert tab.input_value("#source") == SENTENCE


def test_on_a_narrow_screen_the_figure_unfolds_and_leads(opened, server):
    tab = opened(server)
    tab.set_viewport_size({"width": 390, "height": 844})
    looked(tab)
    figure = tab.locator("#machine-figure")
    assert not figure.is_visible()
    tab.locator(".machine-show").click()
    figure.locator("[data-block='encoder-0-self_attention']").click()
    assert not figure.is_visible()
    tab.wait_for_function("() => document.activeElement.closest('#encoder-0-self_attention')")


def test_the_tour(opened, server):
    tab = looked(opened(server))
    tab.locator(".tour-start").click()
    seen = set()
    for stop in range(1, STOPS + 1):
        card = tab.locator(f".tour-card[data-stop='{stop}']")
        card.wait_for()
        looked(tab)
        seen.add(card.locator("h3").inner_text())
        assert card.locator(".tour-answer").count() == 0  # a guess comes first
        if card.locator("input").count():
            card.locator("input").fill("2")
            card.locator("form button").click()
        else:
            card.locator(".tour-body .chooser button").first.click()
        card.locator(".tour-answer").wait_for()
        assert len(card.locator(".tour-answer").inner_text()) > 10
        for link in card.locator(".tour-links button").all():
            link.click()
            assert tab.locator(".tour-record").inner_text().strip()
        card.locator(".tour-next").click()
    assert len(seen) == STOPS
    assert "of 10" in tab.locator(".tour-end .tour-score").inner_text()
    place = tab.evaluate("scrollY")
    tab.locator(".tour-close").click()
    tab.locator(".tour-card").wait_for(state="detached")
    assert tab.evaluate("scrollY") == pytest.approx(place, abs=400)  # the reader stays at the last station
    looked(tab)
    assert look_of(tab)["hands"] == {}


def test_a_pair_of_the_readers_own(opened, server):
    tab = looked(opened(server))
    looked_at(tab, SENTENCE)
    tab.fill("#own-target", "I like machine learning.")
    tab.locator(".own-target button[type=submit]").click()
    looked(tab)
    training = look_of(tab)["training"]
    assert training["given"]
    assert "".join(training["answers"]).replace("␣", " ").startswith("I like machine learning.")
    steps = max(len(training["answers"]), len(training["fed_back"]))
    assert tab.locator("#training table.training thead th").count() == 1 + steps


def test_the_connect_panel_is_one_click_away(opened, server):
    tab = looked(opened(server, reduced_motion="reduce"))
    tab.locator("header nav a[href='#connect']").click()
    tab.wait_for_timeout(300)
    assert 0 <= tab.locator("#connect-title").evaluate("(one) => one.getBoundingClientRect().top") < 900
    assert tab.locator("#find-client").is_visible()
