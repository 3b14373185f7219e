"""All that is told of a translated test set: the scores to quote, and what lies behind them."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from attendo.evaluation.breakdown import OfFrequency, OfLength, by_frequency, by_length, extremes
from attendo.evaluation.conduct import Numbers, looping, numbers_kept
from attendo.evaluation.hypotheses import Hypotheses, Run
from attendo.evaluation.metrics import SAMPLES, Score, bleu, chrf, command_options, sentence_chrf, ter, tokenisations
from attendo.evaluation.published import published_bleu, published_command
from attendo.evaluation.suspicions import language_of, suspicions
from attendo.evaluation.test_set import EvaluationSet

EXTREMES = 10  # best and worst sentences that are kept


@dataclass(frozen=True)
class Judged:
    """One sentence; lines count from 1."""

    line: int
    chrf: float
    source: str | None
    references: tuple[str, ...]
    hypothesis: str


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    name: str
    hypotheses: str  # the file, or the model
    source_language: str | None
    target_language: str
    guessed: bool  # the target language: nobody said it
    sentences: int
    references: int
    bleu: dict[str, Score]  # by tokenisation; the first is the one to quote
    chrf: Score
    ter: Score
    published: Score | None
    run: Run | None
    exact: int  # hypotheses that equal a reference
    empty: int
    loops: int
    numbers: Numbers | None  # None: the source is not known
    numbers_of_references: Numbers | None  # the same of the people's translations, as a measure
    lengths: list[OfLength]
    frequencies: list[OfFrequency]
    frequencies_of: str | None  # the file in which words were counted; None: the references
    worst: list[Judged]
    best: list[Judged]
    sentence_chrf: list[float]
    warnings: list[str]
    command: str  # that gives the three scores without attendo
    published_command: str | None

    @property
    def quoted(self) -> tuple[str, Score]:
        """The tokenisation to quote BLEU with, and the score."""
        return next(iter(self.bleu.items()))

    def to_dict(self) -> dict[str, Any]:
        """For `--json`."""
        tokenisation, quoted = self.quoted
        run = self.run
        return {
            "test_set": self.name,
            "hypotheses": self.hypotheses,
            "from": self.source_language,
            "to": self.target_language,
            "sentences": self.sentences,
            "references": self.references,
            "bleu": quoted.to_dict(),
            "chrf": self.chrf.to_dict(),
            "ter": self.ter.to_dict(),
            "bleu_tokenisation": tokenisation,
            "bleu_by_tokenisation": {name: score.to_dict() for name, score in self.bleu.items()},
            "tokenised_lowercased_bleu": self.published.to_dict() if self.published else None,
            "seconds": run.seconds if run else None,
            "source_tokens": run.source_tokens if run else None,
            "source_tokens_per_second": run.source_tokens_per_second if run else None,
            "engine": run.engine if run else None,
            "threads": run.threads if run else None,
            "beam": run.options.beam_size if run else None,
            "length_penalty": run.options.length_penalty if run else None,
            "second_look": run.second_look if run else None,
            "length_ratio": quoted.length_ratio,
            "exact": self.exact,
            "empty": self.empty,
            "loops": self.loops,
            "loops_decoded_again": run.repeated if run else None,
            "mended": run.mended if run else None,
            "untranslated": run.untranslated if run else None,
            "numbers": number_table(self.numbers),
            "numbers_of_references": number_table(self.numbers_of_references),
            "by_length": [asdict(one) for one in self.lengths],
            "by_frequency": [asdict(one) | {"share": one.share} for one in self.frequencies],
            "frequency_in": self.frequencies_of or "the references",
            "worst": [asdict(one) for one in self.worst],
            "best": [asdict(one) for one in self.best],
            "warnings": self.warnings,
            "command": self.command,
            "tokenised_lowercased_command": self.published_command,
        }


def number_table(numbers: Numbers | None) -> dict[str, Any] | None:
    return None if numbers is None else asdict(numbers) | {"share": numbers.share}


def evaluate(
    judged_by: EvaluationSet,
    hypotheses: Hypotheses,
    *,
    to: str | None = None,
    from_: str | None = None,
    samples: int = SAMPLES,
    published: bool = False,
    training: tuple[str, Counter[str]] | None = None,
    written_to: str = "HYPOTHESES",
) -> Evaluation:
    """`training`: the name of a training text and its words; `written_to`: the hypotheses as bash may read them."""
    run, said, wanted = hypotheses.run, hypotheses.texts, judged_by.references
    language = to or (run.target_language if run else language_of(wanted[0]))
    sources = judged_by.sources
    source_language = from_ or (run.source_language if run else language_of(sources) if sources else None)
    ways = tokenisations(language)
    each = sentence_chrf(said, wanted)
    worst, best = (judged(judged_by, said, each, places) for places in extremes(each, EXTREMES))
    in_bash = judged_by.in_bash

    def kept(translations: Sequence[str]) -> Numbers | None:
        return numbers_kept(translations, sources, source_language or "", language) if sources else None

    return Evaluation(
        name=judged_by.name,
        hypotheses=hypotheses.name,
        source_language=source_language,
        target_language=language,
        guessed=not to and run is None,
        sentences=len(judged_by),
        references=len(wanted),
        bleu={name: bleu(said, wanted, name, samples) for name in ways},
        chrf=chrf(said, wanted, samples),
        ter=ter(said, wanted, language, samples),
        published=published_bleu(said, wanted, language, samples) if published else None,
        run=run,
        exact=sum(text in each for text, *each in zip(said, *wanted, strict=True)),
        empty=sum(not text.strip() for text in said),
        loops=len(looping(said, sources)),
        numbers=kept(said),
        numbers_of_references=kept(wanted[0]),
        lengths=by_length(said, wanted, language, ways[0]),
        frequencies=by_frequency(said, wanted[0], training[1] if training else None),
        frequencies_of=training[0] if training else None,
        worst=worst,
        best=best,
        sentence_chrf=each,
        warnings=[*judged_by.remarks, *hypotheses.remarks, *suspicions(said, wanted, sources, language)],
        command=" ".join(["sacrebleu", *in_bash, "-i", written_to, *command_options(language, samples)]),
        published_command=published_command(written_to, in_bash, language, samples) if published else None,
    )


def judged(
    judged_by: EvaluationSet, said: Sequence[str], scores: Sequence[float], places: Sequence[int]
) -> list[Judged]:
    sources = judged_by.sources
    return [
        Judged(
            place + 1,
            scores[place],
            sources[place] if sources else None,
            tuple(one[place] for one in judged_by.references),
            said[place],
        )
        for place in places
    ]
