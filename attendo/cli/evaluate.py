"""attendo evaluate: how good translations are, a model's own or those of a file."""

import json
import shlex
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from attendo.errors import UsageError

if TYPE_CHECKING:
    from attendo.evaluation.evaluate import Evaluation
    from attendo.evaluation.hypotheses import Hypotheses
    from attendo.evaluation.test_set import EvaluationSet
    from attendo.translation.options import TranslationOptions


def evaluate(
    files: Annotated[
        list[Path] | None,
        typer.Argument(metavar="[TEST.tsv]...", help="Lines of source<TAB>reference[<TAB>reference…]."),
    ] = None,
    model: Annotated[str | None, typer.Option("--model", metavar="M", help="A model folder, or a name.")] = None,
    to: Annotated[str | None, typer.Option("--to", help="Target language, such as en.")] = None,
    from_: Annotated[str | None, typer.Option("--from", help="Source language; detected by default.")] = None,
    swap: Annotated[bool, typer.Option("--swap", help="The reference is the first column of TEST.tsv.")] = False,
    hypotheses: Annotated[
        Path | None, typer.Option("--hypotheses", metavar="H", help="Translations to score, instead of a model.")
    ] = None,
    references: Annotated[
        list[Path] | None,
        typer.Option("--references", metavar="R...", help="With H: one or more reference files, or a TEST.tsv."),
    ] = None,
    source: Annotated[Path | None, typer.Option("--source", metavar="S", help="With H: the source file.")] = None,
    beam: Annotated[int | None, typer.Option("--beam", min=1, max=256, help="Beam size; 4 by default.")] = None,
    length_penalty: Annotated[
        float | None, typer.Option("--length-penalty", help="Exponent α of the length penalty; 1 by default.")
    ] = None,
    no_wider_retry: Annotated[
        bool, typer.Option("--no-wider-retry", help="No attempt with a wider beam where a number was lost.")
    ] = False,
    no_second_look: Annotated[bool, typer.Option("--no-second-look", hidden=True)] = False,
    engine: Annotated[str, typer.Option("--engine", help="auto, torch or ct2.")] = "auto",
    device: Annotated[str, typer.Option("--device", help="auto, cpu or cuda.")] = "auto",
    threads: Annotated[int | None, typer.Option("--threads", min=1, max=256, help="CPU threads.")] = None,
    published: Annotated[bool, typer.Option("--published", help="Also report tokenised lower-cased BLEU.")] = False,
    training_text: Annotated[
        Path | None, typer.Option("--training-text", metavar="F", help="Text by which words count as rare or frequent.")
    ] = None,
    samples: Annotated[
        int | None, typer.Option("--samples", min=0, max=100_000, help="Of the bootstrap: 1000 by default, 0 for none.")
    ] = None,
    report: Annotated[Path | None, typer.Option("--report", metavar="F.html", help="Write an HTML report.")] = None,
    translations: Annotated[
        Path | None, typer.Option("--write-translations", metavar="F", help="Write the translations, one per line.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print a JSON list with an object per test set.")] = False,
) -> None:
    """Score a model or a file of translations: BLEU, chrF and TER with signatures, intervals and details."""
    more = list(files or [])
    if (hypotheses and model) or not (hypotheses or more):
        raise UsageError("name either one or more TEST.tsv, and --model M, or --hypotheses H and --references R")
    if not hypotheses and (references or source):
        raise UsageError("--references and --source belong to --hypotheses")
    if hypotheses and not references:
        raise UsageError("--hypotheses needs --references R")
    no_wider_retry = no_wider_retry or no_second_look
    if hypotheses and (translations or swap or beam or length_penalty is not None or no_wider_retry or threads):
        raise UsageError(
            "--write-translations, --swap, --beam, --length-penalty, --no-wider-retry and --threads belong to --model"
        )
    if translations and len(more) > 1:
        raise UsageError("--write-translations takes one TEST.tsv at a time")
    for option, path in (("--report", report), ("--write-translations", translations)):
        if path and (path.is_dir() or not path.parent.is_dir()):
            raise UsageError(f"{option} is {path}: expected the name of a file, in a folder that is there")
    for library in ("sacrebleu", *(["sacremoses"] if published else [])):
        import_module(library)  # a missing library is reported before the long work

    from attendo.data.lines import ignore, read_lines
    from attendo.evaluation.breakdown import count_words
    from attendo.evaluation.evaluate import score_hypotheses
    from attendo.evaluation.hypotheses import read_hypotheses
    from attendo.evaluation.metrics import SAMPLES
    from attendo.evaluation.report_text import evaluation_lines, warnings_text
    from attendo.evaluation.test_set import file_in_bash, read_references, read_test_set
    from attendo.model_folder.bundle import DEFAULT

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
        options = TranslationOptions(search=search, beam=beam, wider_retry=not no_wider_retry)
        setup = {"model": model or DEFAULT, "engine": engine, "device": device, "threads": threads}
        judged = translate_sets(sets, options, to, from_, setup)
        written_to = shlex.quote(str(translations)) if translations else "TRANSLATIONS"
        if translations:
            from attendo.files.durable import write_file

            texts = judged[0][1].texts
            lines = "".join(f"{text}\n" for text in texts)
            write_file(translations.resolve(), lines.encode("utf-8", errors="replace"))
            typer.echo(f"wrote {translations}: {len(texts):,} lines", err=True)
    found: list[Evaluation] = []
    for one, answers in judged:
        found.append(
            score_hypotheses(
                one, answers, to=to, from_=from_, samples=SAMPLES if samples is None else samples, published=published,
                training=training, written_to=written_to,
            )
        )  # fmt: skip
        for line in warnings_text(found[-1].warnings, one.name if len(judged) > 1 else ""):
            typer.echo(line, err=True)
    if report:
        from attendo.evaluation.report_page import write_evaluation

        write_evaluation(report.resolve(), found)
        typer.echo(f"wrote {report}", err=True)
    if as_json:
        answer = json.dumps([one.to_dict() for one in found], ensure_ascii=False, indent=2)
    else:
        answer = "\n\n".join("\n".join(evaluation_lines(one)) for one in found)
    typer.echo(answer.encode(errors="replace"))  # UTF-8, whatever the terminal's own encoding is


def translate_sets(
    sets: "list[EvaluationSet]", options: "TranslationOptions", to: str | None, from_: str | None, setup: dict[str, Any]
) -> list[tuple["EvaluationSet", "Hypotheses"]]:
    """Each test set with its translation by the model that `load` makes of the `setup`; progress on stderr."""
    from attendo.documents.progress import progress_on_stderr
    from attendo.evaluation.hypotheses import translate_test_sets
    from attendo.translation.load import load

    size = sum(len(source.encode()) + 1 for one in sets for source in one.sources or ())
    with progress_on_stderr("line", size, warn=False) as progress:
        translator = load(**setup)
        progress.passed(0, 0)
        return list(translate_test_sets(sets, translator, setup["model"], to, from_, options, progress.done))
