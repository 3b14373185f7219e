"""What a translator gives back: the text, what became of each of its sentences, and the ledger of it all.

In the ledger two independent counts meet: the text as it came, and each segment when it is done with. A character that
is lost in between, by whatever mistake, makes the two differ.
"""

import json
import re
from collections.abc import Iterable
from dataclasses import asdict, dataclass, field, fields
from functools import lru_cache
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from attendo.decoding.hypothesis import Hypothesis
from attendo.decoding.options import SamplingOptions, SearchOptions
from attendo.engines.engine import Request
from attendo.text.sentences import Segment
from attendo.translation.checks import DecodingProblem, Miss
from attendo.translation.options import Draws

if TYPE_CHECKING:
    from attendo.translation.stand_ins import StandIns

# Which attempt an answer is: the first; one without repeated n-grams, because the first ran wild; one with a wider
# beam, because the first lost something; another draw, because the first did either; one with stand-ins for what was
# lost; one put together from the pieces between them; or none helped, and the source stays.
Attempt = Literal["first", "backoff", "wider", "redrawn", "stand-ins", "pieces", "copied"]
# silent: nothing to say, the model was not asked. copied: there was, but it was left as it is.
SegmentOutcome = Literal["translated", "copied", "silent"]
REPORTED = (
    "lines_in", "lines_out", "characters_in", "characters_accounted_for", "segments", "cut", "repeated", "flagged",
)  # fmt: skip
# Counts that must be 0 for a ledger to be clean, in words.
WORTH_A_LOOK = {
    "cut": "cut in a sentence that was too long",
    "repeated": "repetition found in a translation",
    "untranslated": "segment left untranslated",
    "flagged": "segment with something missing in its translation, or put together from pieces",
    "strange": "segment with letters of another script in its translation",
    "already": "segment already in the target language",
    "foreign": "segment in a language that the model does not read",
    "doubtful": "doubtful translation",
    "tags_unplaced": "tag or placeholder that found no word of its own in the translation",
    "repaired": "broken character replaced by U+FFFD",
    "structured": "line of what looks like another format, translated as plain text",
    "unread": "byte added to the input while it was read, not translated",
}
# What some programs take for the end of a line; JSON may spell it out, as it must what is below U+0020.
SPELLED_BREAKS = str.maketrans({sign: f"\\u{ord(sign):04x}" for sign in "\x85\u2028\u2029"})


class LanguageNote(NamedTuple):
    """A sentence in the target language already, or in one that the model does not read; see language_check.py."""

    kind: Literal["already", "foreign"]
    written_in: str  # in words: French, or Cyrillic letters
    copied: bool  # it was left as it is
    to: str
    reads: tuple[str, ...]  # what the model translates into `to`


class Doubt(NamedTuple):
    """An answer's score, and the threshold that it does not reach; see doubt.py."""

    score: float
    below: float


class AlignedWord(NamedTuple):
    """One word of a translation, and the words of the source that it was made from; see alignment.py.

    Positions are those of characters: text[start:end]. A word that was made from none has no sources.
    """

    start: int
    end: int
    sources: tuple[tuple[int, int, float], ...]  # start, end and weight, the largest first


@dataclass(frozen=True, slots=True)
class Sentence:
    """One segment of the text, and the facts about its translation; the words for people are made in compose.py."""

    source: str
    texts: tuple[str, ...] = ()  # the translation and its alternatives, the best first, or as they were drawn
    hypotheses: tuple[Hypothesis, ...] = ()  # of the model, one for each text
    engine: str = ""  # that answered
    attempt: Attempt | None = None  # None: the model was not asked, there is nothing to translate
    problem: DecodingProblem | None = None  # of the first answer: it was empty, repeated itself or did not end
    misses: tuple[Miss, ...] = ()  # of the source, in this translation
    strange: tuple[str, ...] = ()  # letters in this translation, of a script that it should not have
    missed_at_first: tuple[Miss, ...] = ()  # of the source, where a later attempt misses less
    strange_at_first: tuple[str, ...] = ()
    broken: bool = False  # bytes that are no character came out of the model
    search: SearchOptions | Draws | None = None  # of the attempt, where it is not the first
    doubt: Doubt | None = None  # the score is poor
    language: LanguageNote | None = None  # not the one that the model reads here
    alignment: tuple[AlignedWord, ...] | None = None  # in characters of `source` and `text`; None: not asked for
    # What the model read and what was hidden from it, so that its tokens can be found in the texts.
    request: Request | None = field(default=None, compare=False, repr=False)
    stand_ins: "StandIns" = field(default=(), compare=False, repr=False)
    pieces: "tuple[Piece, ...]" = field(default=(), compare=False, repr=False)  # that it was put together from

    @property
    def text(self) -> str:
        return self.texts[0] if self.texts else self.source

    @property
    def alternatives(self) -> tuple[str, ...]:
        return self.texts[1:]

    @property
    def hypothesis(self) -> Hypothesis | None:
        """None where the model was not asked, or none of its answers would do."""
        return self.hypotheses[0] if self.hypotheses else None

    @property
    def is_plain(self) -> bool:
        """As most are: the first answer will do, there is no other, and nothing is to be said of it."""
        return (
            self.attempt == "first"
            and len(self.texts) == 1
            and not (self.misses or self.strange or self.broken or self.doubt or self.language or self.problem)
            and not (self.missed_at_first or self.strange_at_first)
        )

    @property
    def outcome(self) -> SegmentOutcome:
        return "silent" if self.attempt is None else "copied" if self.attempt == "copied" else "translated"

    @property
    def repeated(self) -> bool:
        """A repetition was found in the first answer."""
        return self.problem is not None and self.problem.times > 0

    @property
    def flagged(self) -> bool:
        """Something of the source is missing, or its sentence had to be taken apart to keep it."""
        return bool(self.misses or self.broken or self.attempt == "pieces")

    @property
    def doubtful(self) -> bool:
        """The model's score of it is poor."""
        return self.doubt is not None

    @property
    def recovered(self) -> bool:
        """Something was missing in the first answer, or strange, and another attempt was better."""
        at_first = self.missed_at_first or self.strange_at_first
        return self.attempt in ("wider", "stand-ins") or (self.attempt == "redrawn" and bool(at_first))


class Piece(NamedTuple):
    """A part of a sentence that was put together, and what stands for it; None: the model was not asked."""

    source: str
    text: str
    answer: Sentence | None = None


@dataclass(frozen=True, kw_only=True, slots=True)
class Ledger:
    """Counts; those of two texts are added by +."""

    lines_in: int = 0
    lines_out: int = 0
    characters_in: int = 0
    characters_translated: int = 0
    characters_copied: int = 0
    characters_of_space: int = 0  # white space and controls at the edges, and what has nothing to translate
    segments: int = 0
    split: int = 0  # lines that became more than one segment
    cut: int = 0  # sentences cut because they were too long
    repeated: int = 0  # segments in whose translation a repetition was found
    untranslated: int = 0  # segments left as they were although they have words
    flagged: int = 0  # segments with something missing: a number, an address, an emoji; or put together from pieces
    strange: int = 0  # segments whose translation has letters of a script that it should not have
    already: int = 0  # segments left as they were because they are in the target language
    foreign: int = 0  # segments in a language that the model does not read
    doubtful: int = 0  # segments whose translation has a poor score
    tags_unplaced: int = 0  # tags and placeholders without a word of their own in the translation, see markup/
    repaired: int = 0  # characters that are none, replaced by U+FFFD
    structured: int = 0  # lines of a file that looks like another format, translated as plain text
    unread: int = 0  # bytes that were added to the input while it was read

    def __add__(self, other: "Ledger") -> "Ledger":
        return total([self, other])

    @property
    def characters_accounted_for(self) -> int:
        return self.characters_translated + self.characters_copied + self.characters_of_space

    @property
    def adds_up(self) -> bool:
        return self.lines_in == self.lines_out and self.characters_in == self.characters_accounted_for

    @property
    def is_clean(self) -> bool:
        """Nothing lost and nothing to look at again."""
        return self.adds_up and not any(getattr(self, count) for count in WORTH_A_LOOK)

    def to_dict(self) -> dict[str, int]:
        """For `--report`: what the contract names first, then the rest."""
        every = asdict(self) | {"characters_accounted_for": self.characters_accounted_for}
        return {key: every[key] for key in (*REPORTED, *(key for key in every if key not in REPORTED))}

    def remarks(self) -> list[str]:
        """In words, what a user should know; nothing if the ledger is clean."""
        found: list[str] = []
        if self.lines_in != self.lines_out:
            found.append(f"{self.lines_in} lines came in and {self.lines_out} went out")
        if self.characters_in != self.characters_accounted_for:
            found.append(f"of {self.characters_in} characters {self.characters_accounted_for} are accounted for")
        found.extend(f"{count} × {text}" for key, text in WORTH_A_LOOK.items() if (count := getattr(self, key)))
        return found


COUNTS = [field.name for field in fields(Ledger)]
counts_of = attrgetter(*COUNTS)


def total(ledgers: Iterable[Ledger]) -> Ledger:
    """The sum of many; of none, an empty one."""
    return Ledger(**dict(zip(COUNTS, map(sum, zip(*map(counts_of, ledgers), strict=True)), strict=False)))


def account(text: str, repaired: int, done: Iterable[tuple[Segment, Sentence]]) -> Ledger:
    """Of a line or text: as it came in, before anything was done to it, and each of its segments that is done with."""
    characters: dict[SegmentOutcome, int] = {"translated": 0, "copied": 0, "silent": 0}
    segments = edges = cut = repeated = untranslated = flagged = strange = doubtful = already = foreign = 0
    for segment, sentence in done:
        outcome = sentence.outcome
        characters[outcome] += len(segment.text)
        edges += len(segment.before) + len(segment.after)
        segments += 1
        cut += segment.cut
        repeated += sentence.repeated
        if sentence.language:
            already += sentence.language.kind == "already"
            foreign += sentence.language.kind == "foreign"
        else:
            untranslated += outcome == "copied"
        flagged += sentence.flagged
        strange += bool(sentence.strange)
        doubtful += sentence.doubtful
    return Ledger(
        lines_in=1,
        lines_out=1,
        characters_in=len(text),
        characters_translated=characters["translated"],
        characters_copied=characters["copied"],
        characters_of_space=characters["silent"] + edges,
        segments=segments,
        split=int(segments > 1),
        cut=cut,
        repeated=repeated,
        untranslated=untranslated,
        flagged=flagged,
        strange=strange,
        already=already,
        foreign=foreign,
        doubtful=doubtful,
        repaired=repaired,
    )


@lru_cache(maxsize=100_000)
def account_of_plain(characters: int, translated: int, edges: int) -> Ledger:
    """The same of a line that is one segment with a plain answer, by its lengths: each comes again and again."""
    return Ledger(
        lines_in=1, lines_out=1, characters_in=characters, characters_translated=translated, characters_of_space=edges,
        segments=1,
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class Translation:
    """The answer to one text; as a string it is the translation.

    >>> translation = attendo.load().translate("我爱机器学习。", to="en")
    >>> translation.text, round(translation.score, 1), translation.ledger.is_clean
    ('I love machine learning.', -0.1, True)
    """

    text: str
    ledger: Ledger
    seconds: float  # from the call to this answer; texts of one call are decoded together
    engine: str  # that answered; several, where one alone could not
    source_language: str
    target_language: str
    sentences: tuple[Sentence, ...] = field(repr=False, default=())
    alternatives: tuple[str, ...] = ()  # other translations of the text, the best first, or as they were drawn
    remarks: tuple[str, ...] = ()  # all that may be known of how it came about
    warnings: tuple[str, ...] = ()  # those of them that ask for a look
    sampling: SamplingOptions | None = None  # None: it was searched for, not drawn
    # Its words, in order, and what each was made from; None where nobody asked, or the model cannot tell.
    alignment: tuple[AlignedWord, ...] | None = field(repr=False, default=None)

    def __str__(self) -> str:
        return self.text

    @property
    def tokens(self) -> int:
        """Of the model's output, </s> of each sentence included."""
        return sum(len(sentence.hypothesis.ids) for sentence in self.sentences if sentence.hypothesis)

    @property
    def recovered(self) -> bool:
        """Whether something was missing at first, or strange, and another attempt was better."""
        return any(sentence.recovered for sentence in self.sentences)

    @property
    def doubtful(self) -> bool:
        """Whether the score of some sentence is poor."""
        return self.ledger.doubtful > 0

    @property
    def score(self) -> float | None:
        """The mean log-probability of a token; None where the model was not asked."""
        log_prob = sum(sentence.hypothesis.log_prob for sentence in self.sentences if sentence.hypothesis)
        return log_prob / self.tokens if self.tokens else None

    def to_dict(self) -> dict[str, Any]:
        """For `--json`."""
        return {
            "text": self.text,
            "from": self.source_language,
            "to": self.target_language,
            "score": self.score,
            "doubtful": self.doubtful,
            "tokens": self.tokens,
            "alternatives": list(self.alternatives),
            "seconds": round(self.seconds, 4),
            "engine": self.engine,
            "remarks": list(self.remarks),
            "ledger": self.ledger.to_dict(),
            **({"sampling": asdict(self.sampling)} if self.sampling else {}),
            **({} if self.alignment is None else {"alignment": list(map(alignment_table, self.alignment))}),
        }

    def to_line(self, *, as_json: bool = False) -> str:
        """One line of output, also for a text that had several: the translation, or all of it as JSON."""
        if as_json:
            return json_line(self.to_dict())
        return re.sub("(?:\r?\n)+", " ", self.text) if "\n" in self.text else self.text


def alignment_table(word: AlignedWord) -> dict[str, Any]:
    sources = [[start, end, round(weight, 3)] for start, end, weight in word.sources]
    return {"target": [word.start, word.end], "source": sources}


def json_line(table: dict[str, Any]) -> str:
    """JSON on one line, whatever a program takes for the end of a line."""
    return json.dumps(table, ensure_ascii=False).translate(SPELLED_BREAKS)
