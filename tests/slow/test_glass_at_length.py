"""The glass and torch on all 200 texts: every hand, and the whole search as `attendo translate` has it."""

import pytest

import attendo
from attendo.glass.hands import Hands
from attendo.glass.look import look
from attendo.translation.options import TranslationOptions
from tests.glass.sentences import glass, pairs, texts, torch_model
from tests.glass.torch_witness import EVERY_HAND, by_glass, by_torch, close, difference

pytestmark = pytest.mark.slow


HANDS = {"none": Hands(), **{name: hands for name, hands in EVERY_HAND.items() if hands.scale}}


@pytest.mark.parametrize("name", HANDS)
def test_every_hand_on_200_texts(name):
    hands, largest = HANDS[name], 0.0
    assert len(pairs()) == 200
    for source, target_in in pairs():
        if max(hands.erase, default=0) >= len(source):
            continue
        trace = by_glass(glass().model, source, target_in, hands)
        log_probs, memory, _ = by_torch(torch_model(), source, target_in, hands)
        largest = max(largest, difference(trace["memory"], memory), difference(trace["log_probs"], log_probs))
    print(f"{name}: largest difference {largest:.2g}")
    assert largest <= close(hands)


@pytest.mark.parametrize("beam", [1, 4])
def test_the_text_of_translate(beam):
    """Where it is one sentence that the model is asked, and the first attempt was good enough."""
    translator = attendo.load(engine="torch", device="cpu", threads=1)
    options = TranslationOptions(beam=beam, wider_retry=False)
    compared, others = 0, []
    for source, target, text in texts():
        theirs = translator.translate(text, to=target, from_=source, options=options)
        if len(theirs.sentences) != 1 or theirs.sentences[0].attempt != "first":
            continue
        ours = look(text, target, source, glass(), beam)
        compared += 1
        if ours.translation != theirs.text.strip():
            others.append((text, ours.translation, theirs.text))
    print(f"beam {beam}: {len(others)} of {compared} differ", *others, sep="\n")
    assert compared > 100
    assert others == []
