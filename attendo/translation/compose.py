"""From what the model said of each segment to the answer to the text, with its account."""

import re
from collections.abc import Sequence

from attendo.text.normalize import REPLACEMENT
from attendo.text.scripts import to_traditional
from attendo.text.sentences import join
from attendo.text.tokenizer import Tokenizer
from attendo.translation.answer import Sentence, Translation
from attendo.translation.decode import Decoded
from attendo.translation.ledger import account
from attendo.translation.line import Line
from attendo.translation.phrases import stands_in, terms_of
from attendo.translation.second_look import AGAIN, lost
from attendo.translation.wish import Wish


def compose(
    line: Line, decoded: dict[int, Decoded], wish: Wish, tokenizer: Tokenizer, engine: str, seconds: float
) -> Translation:
    sentences: list[Sentence] = []
    remarks = list(line.remarks)
    engines: dict[str, None] = {}  # in the order in which they answered, each once
    others = 0
    for place in range(len(line.segments)):
        one = sentence(line, place, decoded.get(place), wish, tokenizer)
        sentences.append(one)
        remarks += one.remarks
        others = max(others, len(one.alternatives))
        if one.engine:
            engines[one.engine] = None
    return Translation(
        text=join([one.text for one in sentences], line.segments, wish.to),
        ledger=account(line.text, line.repaired, zip(line.segments, sentences, strict=True)),
        seconds=seconds,
        engine=" and ".join(engines) or engine,
        source_language=line.source_language,
        target_language=wish.to,
        sentences=tuple(sentences),
        alternatives=tuple(
            [join([nth(one, number) for one in sentences], line.segments, wish.to) for number in range(others)]
        ),
        remarks=tuple(dict.fromkeys(remarks)),
    )


def sentence(line: Line, place: int, answer: Decoded | None, wish: Wish, tokenizer: Tokenizer) -> Sentence:
    """What became of one segment; the model was not asked about one without words."""
    segment = line.segments[place]
    if answer is None:
        return Sentence(segment.text, segment.text, "silent")
    remarks = [f"{shortened(segment.text)}: {remark}" for remark in answer.remarks] if answer.remarks else []
    if not answer.texts:
        return Sentence(segment.text, segment.text, "copied", repeated=answer.repeated, remarks=tuple(remarks))
    job, texts = line.jobs[place], answer.texts
    gone = [f"the {miss.kind} {miss.text!r}" for miss in lost((line.source_language, job), answer, wish)]
    terms = terms_of(job.phrases, tokenizer) if job.phrases else []
    gone += [f"the term {term!r}" for term in terms if not stands_in(texts[0], term)]
    if gone:
        remarks.append(f"{shortened(segment.text)}: missing in the translation: {', '.join(gone)}")
    broken = texts[0].count(REPLACEMENT) > job.text.count(REPLACEMENT)  # bytes that are no character
    if broken:
        remarks.append(f"{shortened(segment.text)}: broken characters in the translation")
    mended = any(remark.startswith(AGAIN) for remark in answer.remarks)
    if wish.to != wish.target:
        texts = tuple([written(text, wish, terms) for text in texts])
    return Sentence(
        segment.text, texts[0], "translated", answer.engine, answer.hypotheses[0], texts[1:], answer.repeated,
        bool(gone) or broken, mended, tuple(remarks),
    )  # fmt: skip


def written(text: str, wish: Wish, terms: Sequence[str] = ()) -> str:
    """In the script that the reader wants; the user's own terms as the user wrote them."""
    if wish.to == wish.target:
        return text
    parts = re.split(f"({'|'.join(map(re.escape, sorted(terms, key=len, reverse=True)))})", text) if terms else [text]
    return "".join(part if part in terms else to_traditional(part, wish.to).text for part in parts)


def nth(sentence: Sentence, number: int) -> str:
    """Of its alternatives; where a sentence has fewer, its best stands for the rest."""
    return sentence.alternatives[number] if number < len(sentence.alternatives) else sentence.text


def shortened(text: str) -> str:
    return repr(text if len(text) <= 40 else f"{text[:37]}...")
