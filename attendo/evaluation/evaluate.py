"""The evaluation of a translated test set: the scores to quote, and what lies behind them."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from attendo.errors import UsageError
from attendo.evaluation.breakdown import FrequencyClass, LengthClass, by_frequency, by_length, extremes
from attendo.evaluation.hypotheses import Hypotheses, TranslationRun, read_hypotheses, translate_test_sets
from attendo.evaluation.loops_and_numbers import NumberCounts, count_numbers_kept, find_loops
from attendo.evaluation.metrics import (
    MOST_SAMPLES,
    SAMPLES,
    References,
    Score,
    Texts,
    bleu,
    chrf,
    command_options,
    published_bleu,
    published_command,
    sentence_chrf,
    ter,
    tokenisations,
)
from attendo.evaluation.suspicions import language_of, suspicions
from attendo.evaluation.test_set import EvaluationSet, TextsOrPath, gather_references, read_test_set
from attendo.files.arguments import check_argument, check_count, check_languages, check_path, wrong_argument
from attendo.translation.options import DEFAULT as DEFAULT_OPTIONS
from attendo.translation.options import TranslationOptions

if TYPE_CHECKING:
    from attendo.translation.translator import Translator

Metric = Callable[[Texts, References], float]

EXTREMES = 10  # best and worst sentences that are kept


@dataclass(frozen=True)
class JudgedSentence:
    """One sentence; lines count from 1."""

    line: int
    chrf: float
    source: str | None
    references: tuple[str, ...]
    hypothesis: str


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """Scores of one test set, what lies behind them, and the commands that give the same scores without attendo."""

    name: str
    hypotheses: str  # the file, or the model
    source_language: str | None
    target_language: str
    guessed: bool  # the target language: it was not given
    sentences: int
    references: int
    bleu: dict[str, Score]  # by tokenisation; the first is the one to quote
    chrf: Score
    ter: Score
    published: Score | None
    metrics: dict[str, float]  # by functions that were handed in
    run: TranslationRun | None
    exact: int  # hypotheses that equal a reference
    empty: int
    loops: int
    numbers: NumberCounts | None  # None: the source is not known
    numbers_of_references: NumberCounts | None  # the same of the people's translations, as a measure
    lengths: list[LengthClass]
    frequencies: list[FrequencyClass]
    frequencies_of: str | None  # the file in which words were counted; None: the references
    worst: list[JudgedSentence]
    best: list[JudgedSentence]
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
            **({"metrics": self.metrics} if self.metrics else {}),
            "seconds": run.seconds if run else None,
            "source_tokens": run.source_tokens if run else None,
            "source_tokens_per_second": run.source_tokens_per_second if run else None,
            "engine": run.engine if run else None,
            "threads": run.threads if run else None,
            "beam": run.options.search.beam_size if run and has_beam(run.options) else None,
            "length_penalty": run.options.search.length_penalty if run and not run.options.sampling else None,
            **({"passes": run.options.search.passes} if run and run.options.search.passes else {}),
            **({"sampling": asdict(run.options.sampling)} if run and run.options.sampling else {}),
            "second_look": run.options.to_dict()["second_look"] if run else None,
            "length_ratio": quoted.length_ratio,
            "exact": self.exact,
            "empty": self.empty,
            "loops": self.loops,
            "loops_decoded_again": run.repeated if run else None,
            "mended": run.recovered if run else None,
            "untranslated": run.untranslated if run else None,
            "numbers": numbers_to_dict(self.numbers),
            "numbers_of_references": numbers_to_dict(self.numbers_of_references),
            "by_length": [asdict(one) for one in self.lengths],
            "by_frequency": [asdict(one) | {"share": one.share} for one in self.frequencies],
            "frequency_in": self.frequencies_of or "the references",
            "worst": [asdict(one) for one in self.worst],
            "best": [asdict(one) for one in self.best],
            "warnings": self.warnings,
            "command": self.command,
            "tokenised_lowercased_command": self.published_command,
        }


def has_beam(options: TranslationOptions) -> bool:
    return options.sampling is None and options.search.passes is None


def numbers_to_dict(numbers: NumberCounts | None) -> dict[str, Any] | None:
    return None if numbers is None else asdict(numbers) | {"share": numbers.share}


def evaluate(
    test_set: Path | str | EvaluationSet | None = None,
    *,
    model: "str | Path | Translator | None" = None,
    hypotheses: TextsOrPath | None = None,
    references: TextsOrPath | Sequence[TextsOrPath] | None = None,
    sources: TextsOrPath | None = None,
    to: str | None = None,
    from_: str | None = None,
    options: TranslationOptions = DEFAULT_OPTIONS,
    samples: int = SAMPLES,
    published: bool = False,
    metrics: Mapping[str, Metric] | None = None,
) -> Evaluation:
    """BLEU, chrF and TER with signature and interval, and what lies behind them: of a model, or of given translations.

    >>> with open("test.tsv", "w", encoding="utf-8") as file:
    ...     _ = file.write("Ich habe Hunger.\\tI am hungry.\\nGuten Morgen!\\tGood morning!\\n")
    >>> attendo.evaluate("test.tsv", model="default", to="en", samples=0).to_dict()["sentences"]
    2
    >>> found = attendo.evaluate(hypotheses=["A dog runs."], references=["A dog is running."], to="en", samples=0)
    >>> found.to_dict()["chrf"]["signature"].startswith("nrefs:1|")
    True

    A test set is a .tsv of source<TAB>reference, which a model (a name, a folder, or a loaded Translator) translates.
    Or the translations are given as `hypotheses`, to be held against `references`, and perhaps `sources`: each a list
    of sentences or the path of a file with a sentence a line; several references are a list of such. The language `to`
    is guessed if not given. `samples` of the bootstrap, 0 for no interval; `published` adds tokenised lower-cased BLEU;
    `metrics` are functions of your own, called with the hypotheses and the references (a list for each reference).
    """
    if (hypotheses is None) == (test_set is None) or (test_set is not None and references is not None):
        raise UsageError("expected a test set, and a model to translate it; or else hypotheses and references")
    check_languages(to, from_)
    check_count("samples", samples, 0, MOST_SAMPLES)
    check_argument("published", published, bool, "True or False")
    check_metrics(metrics)
    if hypotheses is not None:
        if references is None:
            raise UsageError("hypotheses need references")
        against = gather_references(references, sources)
        judged = read_hypotheses(hypotheses, against)
    else:
        if not isinstance(test_set, EvaluationSet):
            check_path("test_set", test_set)
            test_set = read_test_set(Path(test_set or ""))
        against = test_set
        name, translator = named_translator(model)
        _, judged = next(translate_test_sets([against], translator, name, to, from_, options))
    return score_hypotheses(against, judged, to=to, from_=from_, samples=samples, published=published, metrics=metrics)


def check_metrics(metrics: object) -> None:
    expected = "a dict of functions by name, each called with the hypotheses and the references"
    if metrics is not None:
        check_argument("metrics", metrics, Mapping, expected)
        for name, metric in metrics.items():  # type: ignore[attr-defined]
            if not isinstance(name, str) or not callable(metric):
                raise wrong_argument("metrics", metrics, expected)


def named_translator(model: "str | Path | Translator | None") -> tuple[str, "Translator"]:
    """A translator that is loaded already is named after its folder."""
    if model is not None and not isinstance(model, (str, Path)):
        if not hasattr(model, "bundle"):
            raise wrong_argument("model", model, "the name or the folder of a model, or a Translator")
        return str(model.bundle.folder), model
    from attendo.model_folder.bundle import DEFAULT
    from attendo.translation.load import load

    return str(model or DEFAULT), load(str(model or DEFAULT))


def score_hypotheses(
    test_set: EvaluationSet,
    hypotheses: Hypotheses,
    *,
    to: str | None = None,
    from_: str | None = None,
    samples: int = SAMPLES,
    published: bool = False,
    training: tuple[str, Counter[str]] | None = None,
    written_to: str = "HYPOTHESES",
    metrics: Mapping[str, Metric] | None = None,
) -> Evaluation:
    """`training`: the name of a training text and its words; `written_to`: the hypotheses as bash may read them."""
    run, texts, references, sources = hypotheses.run, hypotheses.texts, test_set.references, test_set.sources
    language = to or (run.target_language if run else language_of(references[0]))
    source_language = from_ or (run.source_language if run else language_of(sources) if sources else None)
    ways = tokenisations(language)
    each = sentence_chrf(texts, references)
    worst, best = (pick_sentences(test_set, texts, each, indices) for indices in extremes(each, EXTREMES))
    in_bash = test_set.in_bash

    def numbers_kept(translations: Sequence[str]) -> NumberCounts | None:
        return count_numbers_kept(translations, sources, source_language or "", language) if sources else None

    return Evaluation(
        name=test_set.name,
        hypotheses=hypotheses.name,
        source_language=source_language,
        target_language=language,
        guessed=not to and run is None,
        sentences=len(test_set),
        references=len(references),
        bleu={name: bleu(texts, references, name, samples) for name in ways},
        chrf=chrf(texts, references, samples),
        ter=ter(texts, references, language, samples),
        published=published_bleu(texts, references, language, samples) if published else None,
        metrics={name: float(metric(texts, references)) for name, metric in (metrics or {}).items()},
        run=run,
        exact=sum(text in each for text, *each in zip(texts, *references, strict=True)),
        empty=sum(not text.strip() for text in texts),
        loops=len(find_loops(texts, sources)),
        numbers=numbers_kept(texts),
        numbers_of_references=numbers_kept(references[0]),
        lengths=by_length(texts, references, language, ways[0]),
        frequencies=by_frequency(texts, references[0], training[1] if training else None),
        frequencies_of=training[0] if training else None,
        worst=worst,
        best=best,
        sentence_chrf=each,
        warnings=[*test_set.remarks, *hypotheses.remarks, *suspicions(texts, references, sources, language)],
        command=" ".join(["sacrebleu", *in_bash, "-i", written_to, *command_options(language, samples)]),
        published_command=published_command(written_to, in_bash, language, samples) if published else None,
    )


def pick_sentences(
    test_set: EvaluationSet, texts: Sequence[str], scores: Sequence[float], indices: Sequence[int]
) -> list[JudgedSentence]:
    picked = []
    for index in indices:
        source = test_set.sources[index] if test_set.sources else None
        references = tuple(one[index] for one in test_set.references)
        picked.append(JudgedSentence(index + 1, scores[index], source, references, texts[index]))
    return picked
