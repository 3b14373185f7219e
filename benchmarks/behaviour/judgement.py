"""What became of one input: all that is counted, and what is to be remarked about it."""

import re
from dataclasses import dataclass

from attendo.text.verbatim import EMAIL, URL
from attendo.translation.answer import Translation
from attendo.translation.checks import EMOJI
from attendo.translation.glossary import shortened
from benchmarks.behaviour.inputs import Input
from benchmarks.behaviour.loops import find_loop
from benchmarks.behaviour.numbers_kept import lost_numbers, lost_runs

END_OF_ADDRESS = ".,;:!?'\"*_)]}>/"
# So many characters for each of the source, and so many more: round numbers that translations by people keep. In the
# development and test sets of $ATTENDO_DATA none of 16,054 from English to Chinese is longer, none of 7,451 between
# German and English, either way, and 9 of 16,054 from Chinese to English: there a sign is half a word.
LONGEST = {("zh", "en"): (6, 32), ("en", "zh"): (1, 20), ("de", "en"): (2, 20), ("en", "de"): (2, 20)}


@dataclass(frozen=True)
class Judgement:
    """What is kept is None where there was nothing to keep."""

    input: Input
    answer: str
    milliseconds: float | None  # a sentence; None where the model was not asked
    loop_by_guard: bool  # in what the model said first; it was decoded again
    lost_at_first: bool  # something that an attempt with a wider beam found
    loop: bool  # in the answer
    too_long: bool
    cut: bool
    untranslated: bool  # the source stands, because no way of decoding helped
    silent: bool  # an empty answer to a text that is not
    digits_kept: bool | None
    numbers_kept: bool | None
    addresses_kept: bool | None
    emoji_kept: bool | None
    blank_kept: bool | None
    remarks: tuple[str, ...]


def judge(asked: Input, answer: Translation) -> Judgement:
    source, text = asked.text, answer.text
    loop, longest = find_loop(text, source), longest_answer(asked)
    has_digits = re.search(r"\d", source)
    numbers = lost_numbers(source, text, asked.target)
    addresses = [one for one in [*URL.findall(source), *EMAIL.findall(source)] if not stands_in(one, text)]
    emoji = [one for one in EMOJI.findall(source) if one not in text]
    silent = not asked.is_blank and not text.strip()
    ours = {
        f"a loop: “{loop.unit}” {loop.times} times" if loop else "": loop,
        f"too long: {len(text)} characters, expected at most {longest}": len(text) > longest,
        f"lost: {', '.join([*numbers, *addresses, *emoji])}": numbers or addresses or emoji,
        "the answer is empty": silent,
        "the answer is not what came in": asked.is_blank and text != source,
    }
    sentences = [sentence for sentence in answer.sentences if sentence.outcome != "silent"]
    return Judgement(
        input=asked,
        answer=text,
        milliseconds=1000 * answer.seconds / len(sentences) if sentences else None,
        loop_by_guard=answer.ledger.repeated > 0,
        lost_at_first=answer.recovered,
        loop=loop is not None,
        too_long=len(text) > longest,
        cut=answer.ledger.cut > 0,
        untranslated=answer.ledger.untranslated > 0,
        silent=silent,
        digits_kept=not lost_runs(source, text) if has_digits else None,
        numbers_kept=not numbers if has_digits else None,
        addresses_kept=not addresses if URL.search(source) or EMAIL.search(source) else None,
        emoji_kept=not emoji if EMOJI.search(source) else None,
        blank_kept=text == source if asked.is_blank else None,
        remarks=(*(remark for remark, holds in ours.items() if holds), *own_remarks(answer)),
    )


def stands_in(address: str, text: str) -> bool:
    """Signs after an address are the sentence's."""
    return address.rstrip(END_OF_ADDRESS).casefold() in text.casefold()


def longest_answer(asked: Input) -> int:
    """In characters; what is longer was most likely made up."""
    times, more = LONGEST[asked.source, asked.target]
    return times * len(asked.text) + more


def own_remarks(answer: Translation) -> list[str]:
    """What attendo itself says, without the sentence it says it of: that one stands beside it in the table."""
    named = [f"{shortened(sentence.source)}: " for sentence in answer.sentences]
    found = []
    for remark in answer.remarks:
        name = next((name for name in named if remark.startswith(name)), "")
        found.append(f"attendo: {remark.removeprefix(name)}")
    return found
