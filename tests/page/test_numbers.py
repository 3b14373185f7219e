"""Every number on the page is the model's: 300 of those that a reader sees are torch's, to the digits shown."""

import json
import random

import attendo
from attendo.translation.options import TranslationOptions
from tests.page.glass_page import look_of, looked, number, unfold_all
from tests.page.torch_numbers import half_a_digit, torch_number, torch_numbers

CLOSE = 1e-5  # of the largest number of a tensor: how far the glass may be from torch
EACH_KIND = 20  # of 15 kinds and more
SHOWN = """() => [...document.querySelectorAll('#stations [data-cell]')]
  .map((one) => [JSON.parse(one.dataset.cell), one.textContent.trim()])
  .filter(([, text]) => /^[−-]?[0-9.]+(e[−-]?[0-9]+)?$/.test(text))"""


def test_300_cells_are_torchs(opened, server, evidence):
    tab = looked(opened(server))
    cells = []
    for layer, step in ((0, 0), (3, 2), (5, 4)):
        tab.evaluate(
            "([layer, step]) => import('/glass/state.js').then((one) => "
            "one.set({ layer, position: step, decoderLayer: layer % 2, step }))",
            [layer, step],
        )
        looked(tab)
        unfold_all(tab)
        cells += tab.evaluate(SHOWN)
    look = look_of(tab)
    witness = torch_numbers(look["source"]["ids"], look["target_in"]["ids"])
    by_kind = {}
    for cell, text in cells:  # of those that are shown twice, one
        by_kind.setdefault(cell[0], {})[json.dumps(cell)] = cell, text.replace("−", "-")
    assert {"score", "scaled", "weight", "head", "concat", "product", "norm", "add", "hidden", "embedding", "x",
            "scaledEmbedding", "position", "logit", "probability"} <= set(by_kind)  # fmt: skip
    draw, compared = random.Random(1), 0
    drawn = [one for kind in sorted(by_kind) for one in draw.sample(list(by_kind[kind].values()), EACH_KIND)]
    assert len(drawn) >= 300
    for cell, text in drawn:
        theirs, largest = torch_number(witness, cell)
        assert abs(number(text) - theirs) <= half_a_digit(text) * 1.001 + CLOSE * max(1, largest), (cell, text, theirs)
        compared += 1
    evidence("G1", "numbers read from the page that are torch's to the digits shown", f"{compared} of {compared}")


# Three of each direction that the model has.
SENTENCES = (
    ("你能告诉我最近的地铁站在哪里吗？", "zh", "en"), ("他昨天买了三本书。", "zh", "en"),
    ("今天天气很好。", "zh", "en"),
    ("She wrote a letter to her old teacher.", "en", "zh"), ("The museum opens at nine.", "en", "zh"),
    ("Where is the train station?", "en", "zh"), ("The dog sleeps.", "en", "de"),
    ("Close the window, please.", "en", "de"), ("He paid 12 euros for the book.", "en", "de"),
    ("Wie viel kostet eine Fahrkarte nach Berlin?", "de", "en"), ("Ich habe Hunger.", "de", "en"),
    ("Der Garten ist groß und grün.", "de", "en"),
)  # fmt: skip


def test_with_every_hand_off_the_translation_is_that_of_translate(opened, server, evidence):
    """One sentence, the same beam, no retries; the engine is torch."""
    translator = attendo.load(engine="torch", device="cpu", threads=1)
    tab = looked(opened(server))
    for text, source, target in SENTENCES:
        tab.evaluate(
            "(wish) => import('/page/looking.js').then((one) => one.look(wish))",
            {"text": text, "to": target, "from": source, "hands": {}},
        )
        looked(tab)
        look = look_of(tab)
        options = TranslationOptions(beam=look["beam"], wider_retry=False)
        theirs = translator.translate(text, to=target, from_=source, options=options)
        assert (look["text"], look["translation"]) == (text, theirs.text)
    evidence("G1", "sentences that the page translates as `translate --engine torch` does", f"{len(SENTENCES)} of 12")
