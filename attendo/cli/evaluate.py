"""attendo evaluate: how good translations are, a model's own or those of a file."""

import shlex
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from attendo.cli.evaluate_texts import evaluate_texts, kind_of, refuse_options_of_translators
from attendo.cli.help import INPUT_AND_OUTPUT, LANGUAGES_AND_MODEL, MEASURING, SEARCH
from attendo.cli.language import language_of
from attendo.cli.options import (
    BEAM,
    DEVICE,
    ENGINE,
    FULL_VOCABULARY,
    MODEL,
    NO_WIDER_RETRY,
    PASSES,
    SAMPLE,
    SAMPLE_OR_BEAM,
    SAMPLE_OR_PASSES,
    SEED,
    TEMPERATURE,
    THREADS,
    TOP_K,
    TOP_P,
    check_file_name,
    check_unpacked,
    sampling_asked_for,
)  # fmt: skip
from attendo.cli.terminal import print_json, print_note, print_result
from attendo.errors import AttendoError, UsageError
from attendo.report.language import Language, in_language

if TYPE_CHECKING:
    from attendo.evaluation.evaluate import Evaluation
    from attendo.evaluation.hypotheses import Hypotheses
    from attendo.evaluation.test_set import EvaluationSet
    from attendo.translation.options import TranslationOptions


def evaluate(
    context: typer.Context,
    files: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[TEST.tsv]...",
            help="Test sets: lines of source<TAB>reference, or with several references. Of a language model: texts.",
        ),
    ] = None,
    model: Annotated[str | None, MODEL] = None,
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="LANGUAGE",
            rich_help_panel=LANGUAGES_AND_MODEL,
            help="Target language, such as en. May be left out if the model has one, or the references show it.",
        ),
    ] = None,
    from_: Annotated[
        str | None,
        typer.Option(
            "--from",
            metavar="LANGUAGE",
            rich_help_panel=LANGUAGES_AND_MODEL,
            help="Source language, such as zh. By default it is detected from the sources.",
        ),
    ] = None,
    swap: Annotated[
        bool,
        typer.Option(
            "--swap",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="Exchange the two columns of TEST.tsv: the reference stands first, the source second.",
        ),
    ] = False,
    hypotheses: Annotated[
        Path | None,
        typer.Option(
            "--hypotheses",
            metavar="FILE",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="Score the translations in this file, one per line, instead of those of a model.",
        ),
    ] = None,
    references: Annotated[
        list[Path] | None,
        typer.Option(
            "--references",
            metavar="FILE...",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="With --hypotheses: one or more files of reference translations, or a .tsv of source<TAB>reference.",
        ),
    ] = None,
    source: Annotated[
        Path | None,
        typer.Option(
            "--source",
            metavar="FILE",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="With --hypotheses: the file of source sentences, so that lost numbers can be counted.",
        ),
    ] = None,
    beam: Annotated[int | None, BEAM] = None,
    passes: Annotated[int | None, PASSES] = None,
    length_penalty: Annotated[
        float | None,
        typer.Option(
            "--length-penalty",
            metavar="ALPHA",
            rich_help_panel=SEARCH,
            help="Exponent α of the length by which scores are divided; larger prefers longer. Default: 1.",
        ),
    ] = None,
    sample: Annotated[bool, SAMPLE] = False,
    temperature: Annotated[float | None, TEMPERATURE] = None,
    top_k: Annotated[int | None, TOP_K] = None,
    top_p: Annotated[float | None, TOP_P] = None,
    seed: Annotated[int | None, SEED] = None,
    no_wider_retry: Annotated[bool, NO_WIDER_RETRY] = False,
    no_second_look: Annotated[bool, typer.Option("--no-second-look", hidden=True)] = False,
    engine: Annotated[str, ENGINE] = "auto",
    device: Annotated[str, DEVICE] = "auto",
    threads: Annotated[int | None, THREADS] = None,
    full_vocabulary: Annotated[bool, FULL_VOCABULARY] = False,
    published: Annotated[
        bool,
        typer.Option(
            "--published",
            rich_help_panel=MEASURING,
            help="Also report tokenised lower-cased BLEU, to compare with older published tables.",
        ),
    ] = False,
    training_text: Annotated[
        Path | None,
        typer.Option(
            "--training-text",
            metavar="FILE",
            rich_help_panel=MEASURING,
            help="Count in this text which words are rare and which frequent. By default the references are counted.",
        ),
    ] = None,
    column: Annotated[
        int | None,
        typer.Option(
            "--column",
            min=1,
            max=100,
            metavar="N",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="Of a language model or an encoder-only one: measure this column of lines that have several, "
            "parted by tabs.",
        ),
    ] = None,
    samples: Annotated[
        int | None,
        typer.Option(
            "--samples",
            min=0,
            max=100_000,
            metavar="N",
            rich_help_panel=MEASURING,
            help="Number of bootstrap samples for the 95 % interval of each score; 0 for none. Default: 1000.",
        ),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(
            "--report",
            metavar="FILE.html",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="Write a page with scores, charts and the best and worst sentences to this file.",
        ),
    ] = None,
    translations: Annotated[
        Path | None,
        typer.Option(
            "--write-translations",
            metavar="FILE",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="Write the model's translations to this file, one per line.",
        ),
    ] = None,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json", rich_help_panel=INPUT_AND_OUTPUT, help="Print a JSON list with one object for each test set."
        ),
    ] = False,
) -> None:
    """Score a model, or a file of translations: BLEU, chrF and TER with signatures, intervals and details.

    Of a language model, which translates nothing, the perplexity of the lines of a text is measured instead; of an
    encoder-only model, how many hidden tokens it guesses, beside the most frequent token.

    Examples:
        # Translate a test set with the model that comes with attendo, and score the translations
        attendo evaluate test.tsv --to en
        # Score your own model, and write a page about it
        attendo evaluate test.tsv --model runs/mine/model --to en --report scores.html
        # Score translations made by any program
        attendo evaluate --hypotheses mine.txt --references reference.txt --to en
        # The perplexity of a language model on the first column of a file
        attendo evaluate test.tsv --model runs/text/model --column 1
        # How many hidden characters an encoder-only model guesses
        attendo evaluate test.tsv --model runs/masked-zh/model --column 1
    """
    language = language_of(context)
    tr = in_language(language)
    more = list(files or [])
    if (hypotheses and model) or not (hypotheses or more):
        raise UsageError("name either one or more TEST.tsv, and --model M, or --hypotheses H and --references R")
    if not hypotheses and (references or source):
        raise UsageError("--references and --source belong to --hypotheses")
    if hypotheses and not references:
        raise UsageError("--hypotheses needs --references R")
    no_wider_retry = no_wider_retry or no_second_look
    sampling = sampling_asked_for(sample, temperature, top_k, top_p, seed)
    if sampling and passes is not None:
        raise UsageError(SAMPLE_OR_PASSES)
    if sampling and (beam or length_penalty is not None):
        raise UsageError(
            SAMPLE_OR_BEAM if beam else "--length-penalty is for beam search: with --sample nothing is searched for"
        )
    of_a_model = (translations, swap, beam, passes, length_penalty is not None, sampling, no_wider_retry, threads)
    if hypotheses and any(of_a_model):
        raise UsageError(
            "--write-translations, --swap, --beam, --passes, --length-penalty, --sample, --no-wider-retry and "
            "--threads belong to --model"
        )
    if translations and len(more) > 1:
        raise UsageError("--write-translations takes one TEST.tsv at a time")
    for option, path in (("--report", report), ("--write-translations", translations)):
        if path:
            check_file_name(option, path)
    check_unpacked("--write-translations", translations)
    from attendo.files.apart import check_apart
    from attendo.model_folder.bundle import DEFAULT, model_folder

    check_apart(
        reads={
            "TEST.tsv": files, "--hypotheses": hypotheses, "--references": references, "--source": source,
            "--training-text": training_text, "--model": None if hypotheses else folder_of(model),
        },
        writes={"--report": report, "--write-translations": translations},
    )  # fmt: skip
    if model and (kind := kind_of(model)):
        typed = {
            "--to": to, "--from": from_, "--swap": swap, "--beam": beam, "--passes": passes,
            "--length-penalty": length_penalty,
            "--published": published, "--training-text": training_text, "--samples": samples, "--report": report,
            "--write-translations": translations, "--sample": sample, "--no-wider-retry": no_wider_retry,
        }  # fmt: skip
        refuse_options_of_translators(typed, model, kind)
        evaluate_texts(kind, model, more, column, engine, device, threads, as_json=as_json, language=language)
        return
    if column is not None:
        model_folder(model)  # one that is not there is told first
        raise UsageError("--column is for models of plain text: a test set of translations has its columns")
    for library in ("sacrebleu", *(["sacremoses"] if published else [])):
        import_module(library)  # a missing library is reported before the long work

    from attendo.data.lines import ignore, read_lines
    from attendo.evaluation.breakdown import count_words
    from attendo.evaluation.evaluate import score_hypotheses
    from attendo.evaluation.hypotheses import read_hypotheses
    from attendo.evaluation.metrics import SAMPLES
    from attendo.evaluation.report_text import evaluation_lines, warnings_text
    from attendo.evaluation.test_set import file_in_bash, read_references, read_test_set

    training = (str(training_text), count_words(read_lines(training_text, ignore))) if training_text else None
    judged: list[tuple[EvaluationSet, Hypotheses]]
    if hypotheses:
        # `--references R1 R2`: what no option takes is one more reference
        only = read_references([*(references or []), *more], source)
        judged, written_to = [(only, read_hypotheses(hypotheses, only))], file_in_bash(hypotheses)
    else:
        sets = [read_test_set(path, swapped=swap) for path in more]
        from attendo.decoding.options import SearchOptions
        from attendo.translation.options import TranslationOptions

        search = SearchOptions(length_penalty=1.0 if length_penalty is None else length_penalty)
        options = TranslationOptions(
            search=search, beam=beam, passes=passes, sampling=sampling, wider_retry=not no_wider_retry
        )
        setup = {"model": model or DEFAULT, "engine": engine, "device": device, "threads": threads}
        setup["full_vocabulary"] = full_vocabulary
        judged = translate_sets(sets, options, to, from_, setup, language)
        written_to = shlex.quote(str(translations)) if translations else "TRANSLATIONS"
        if translations:
            from attendo.files.durable import write_file

            texts = judged[0][1].texts
            lines = "".join(f"{text}\n" for text in texts)
            write_file(translations.resolve(), lines.encode("utf-8", errors="replace"))
            print_note(tr(f"wrote {translations}: {len(texts):,} lines", f"已写入 {translations}：{len(texts):,} 行"))
    found: list[Evaluation] = []
    for one, answers in judged:
        found.append(
            score_hypotheses(
                one, answers, to=to, from_=from_, samples=SAMPLES if samples is None else samples, published=published,
                training=training, written_to=written_to,
            )
        )  # fmt: skip
        for line in warnings_text(found[-1].warnings, one.name if len(judged) > 1 else "", language):
            print_note(line)
    if report:
        from attendo.evaluation.report_page import write_evaluation

        write_evaluation(report.resolve(), found, language)
        print_note(tr(f"wrote {report}", f"已写入 {report}"))
    if as_json:
        print_json([one.to_dict() for one in found])
    else:
        print_result("\n\n".join("\n".join(evaluation_lines(one, tr)) for one in found))


def folder_of(model: str | None) -> Path | None:
    """Of the model; one that is not there is reported when it is loaded."""
    from attendo.model_folder.bundle import model_folder

    try:
        return model_folder(model)
    except AttendoError:
        return None


def translate_sets(
    sets: "list[EvaluationSet]",
    options: "TranslationOptions",
    to: str | None,
    from_: str | None,
    setup: dict[str, Any],
    language: Language,
) -> list[tuple["EvaluationSet", "Hypotheses"]]:
    """Each test set with its translation by the model that `load` makes of the `setup`; progress on stderr."""
    from attendo.documents.progress import progress_on_stderr
    from attendo.evaluation.hypotheses import translate_test_sets
    from attendo.translation.load import load

    size = sum(len(source.encode()) + 1 for one in sets for source in one.sources or ())
    with progress_on_stderr("line", size, warn=False, language=language) as progress:
        translator = load(**setup)
        progress.passed(0, 0)
        return list(translate_test_sets(sets, translator, setup["model"], to, from_, options, progress.advance))
