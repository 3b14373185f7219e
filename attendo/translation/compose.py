"""From what the model said of each segment to the answer to the text, with its ledger; and all words about it.

Remarks are made here, from the facts that a `Sentence` carries, and nowhere read.
"""

from collections.abc import Sequence
from dataclasses import replace

from attendo.decoding.options import SamplingOptions, SearchOptions
from attendo.text.normalize import REPLACEMENT
from attendo.text.sentences import join
from attendo.translation.answer import LanguageNote, Sentence, Translation, account, account_of_plain
from attendo.translation.checks import DecodingProblem, Miss
from attendo.translation.glossary import shortened
from attendo.translation.prepare import PreparedText


def compose(
    prepared: PreparedText,
    answers: dict[int, Sentence],
    engine: str,
    seconds: float,
    sampling: SamplingOptions | None = None,
) -> Translation:
    """`answers` by the index of the segment; the model was not asked about those that have none."""
    segments, to = prepared.segments, prepared.languages.to
    sentences = [finish(prepared, index, answers.get(index)) for index in range(len(segments))]
    if len(sentences) == 1 and sentences[0].is_plain and not (prepared.remarks or segments[0].cut):
        return compose_plain(prepared, sentences[0], engine, seconds, sampling)
    ledger = account(prepared.text, prepared.repaired, zip(segments, sentences, strict=True))
    remarks, warnings = list(prepared.remarks), list(prepared.remarks)
    engines: dict[str, None] = {}  # in the order in which they answered, each once
    others = 0
    for sentence in sentences:
        about = remarks_on(sentence)
        remarks += about
        if not (ledger.is_clean and sentence.recovered):  # all is there in the end: there is nothing to look at
            warnings += about
        others = max(others, len(sentence.alternatives))
        if sentence.engine:
            engines[sentence.engine] = None
    return Translation(
        text=join([sentence.text for sentence in sentences], segments, to),
        ledger=ledger,
        seconds=seconds,
        engine=" and ".join(engines) or engine,
        source_language=prepared.languages.source,
        target_language=to,
        sentences=tuple(sentences),
        alternatives=tuple(
            [join([alternative(sentence, rank) for sentence in sentences], segments, to) for rank in range(others)]
        ),
        remarks=tuple(dict.fromkeys(remarks)),
        warnings=tuple(dict.fromkeys(warnings)),
        sampling=sampling,
    )


def compose_plain(
    prepared: PreparedText, sentence: Sentence, engine: str, seconds: float, sampling: SamplingOptions | None
) -> Translation:
    """The same of a text that is one sentence with a plain answer, as most lines are: nothing is to be said of it."""
    segments, languages = prepared.segments, prepared.languages
    segment = segments[0]
    edges = len(segment.before) + len(segment.after)
    return Translation(
        join(sentence.texts, segments, languages.to),
        account_of_plain(len(prepared.text), len(segment.text), edges),
        seconds,
        sentence.engine or engine,
        languages.source,
        languages.to,
        (sentence,),
        sampling=sampling,
    )


def finish(prepared: PreparedText, index: int, answer: Sentence | None) -> Sentence:
    """An answer as that of its segment."""
    source, note = prepared.segments[index].text, prepared.notes.get(index)
    if answer is None and note:
        return Sentence(source, attempt="copied", language=note)
    if answer is None:  # the model was not asked: the source stays, or a glossary has a word for it
        return Sentence(source, (prepared.said[index],) if index in prepared.said else ())
    if note:
        answer = replace(answer, language=note)
    # Bytes that are no character.
    broken = bool(answer.texts) and answer.texts[0].count(REPLACEMENT) > source.count(REPLACEMENT)
    if source == answer.source and broken == answer.broken:
        return answer
    return replace(answer, source=source, broken=broken)


def alternative(sentence: Sentence, rank: int) -> str:
    """Where a sentence has fewer, its best stands for the rest."""
    return sentence.alternatives[rank] if rank < len(sentence.alternatives) else sentence.text


def remarks_on(sentence: Sentence) -> list[str]:
    """What a user may want to know of one sentence."""
    found: list[str] = []
    if sentence.problem:
        found.append(f"{words_for(sentence.problem)}; {words_for_attempt(sentence)}")
    if sentence.missed_at_first:
        found.append(f"missing at first: {listed(sentence.missed_at_first)}; {words_for_attempt(sentence)}")
    if strange := sentence.strange_at_first:
        found.append(f"letters of another script at first: {quoted(strange)}; {words_for_attempt(sentence)}")
    if sentence.attempt == "pieces" and not found:
        found.append(words_for_attempt(sentence))
    if sentence.misses:
        found.append(f"missing in the translation: {listed(sentence.misses)}")
    if sentence.strange:
        found.append(f"letters of another script in the translation: {quoted(sentence.strange)}")
    if sentence.broken:
        found.append("broken characters in the translation")
    if sentence.language:
        found.append(words_for_language(sentence.language))
    if sentence.doubt:
        score, below = sentence.doubt
        found.append(f"doubtful: the model is not sure (score by length {score:.2f}, threshold {below:.2f})")
    return [f"{shortened(sentence.source)}: {remark}" for remark in found] if found else found


def words_for(problem: DecodingProblem) -> str:
    match problem.kind:
        case "empty":
            return "the translation was empty"
        case "repetition":
            return f"the translation repeated itself ({problem.times} times)"
        case "endless":
            return f"the translation did not end within {problem.longest} tokens"


def words_for_language(note: LanguageNote) -> str:
    if note.kind == "already":
        return f"already in {note.written_in}: left as it is"
    reads = f"looks like {note.written_in}, but into {note.to} this model reads {', '.join(note.reads)}"
    return f"{reads}: left as it is" if note.copied else reads


def words_for_attempt(sentence: Sentence) -> str:
    """How it was decoded after the first answer."""
    search = sentence.search
    if sentence.attempt == "copied" or search is None:
        return "left untranslated: no attempt helped"
    if sentence.attempt == "stand-ins":
        return "taken from an attempt with a stand-in for it"
    if sentence.attempt == "pieces":
        return "put together from what stands between, translated piece by piece"
    if not isinstance(search, SearchOptions):
        return "drawn again"
    if sentence.attempt == "wider":
        if search.passes is not None:
            return f"taken from an attempt with more lengths ({search.n_best})"
        return f"taken from an attempt with a wider beam ({search.beam_size})"
    if search.passes is not None:
        return f"decoded again with {search.passes} passes"
    how = f"beam {search.beam_size}" if search.beam_size > 1 else "greedy search"
    return f"decoded again with {how} and no repeated {search.no_repeat_ngram}-grams"


def listed(misses: Sequence[Miss]) -> str:
    return ", ".join(map(name, misses))


def quoted(strange: Sequence[str]) -> str:
    return ", ".join(map(repr, strange))


def name(miss: Miss) -> str:
    return f"the {miss.kind} {miss.text!r}"
