"""attendo score: how likely a model finds given translations."""

import sys
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from attendo.cli.help import INPUT_AND_OUTPUT, LANGUAGES_AND_MODEL, MACHINE
from attendo.cli.options import MODEL, typed_path

if TYPE_CHECKING:
    from attendo.decoding.hypothesis import Hypothesis


def score(
    file: Annotated[
        Path,
        typer.Argument(
            metavar="FILE.tsv", parser=typed_path, help="Lines of source<TAB>target to be scored; - is stdin."
        ),
    ],
    model: Annotated[str | None, MODEL] = None,
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="LANGUAGE",
            rich_help_panel=LANGUAGES_AND_MODEL,
            help="Language of the targets, such as en. May be left out if the model has one target language.",
        ),
    ] = None,
    engine: Annotated[
        str | None,
        typer.Option(
            "--engine",
            metavar="auto|torch|ct2",
            rich_help_panel=MACHINE,
            help="The engine that computes: torch (exact) or ct2 (8-bit numbers). By default torch, if installed.",
        ),
    ] = None,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="Print one JSON object a line, with the log-probability of every token.",
        ),
    ] = False,
) -> None:
    """Tell how likely a model finds given translations.

    For each pair one line: log-probability<TAB>number of tokens<TAB>log-probability per token.

    Examples:
        # Score a file of pairs
        attendo score pairs.tsv --to en
        # Score one pair, token by token
        printf '我爱你\\tI love you.\\n' | attendo score - --to en --json
    """

    from attendo.documents.line_reader import opened
    from attendo.documents.pipeline import score_lines
    from attendo.files.apart import check_apart
    from attendo.model_folder.bundle import model_folder
    from attendo.translation.answer import json_line
    from attendo.translation.load import load

    folder = model_folder(model)
    check_apart(reads={"FILE.tsv": file, "--model": folder}, writes={})
    path = None if file == Path("-") else file
    with opened(path) as stream:
        # The fast engine computes in 8 bits: good enough to translate, but a score is asked for to be exact.
        exact = "torch" if find_spec("torch") else "auto"
        translator = load(folder, engine=cast(Any, engine or exact))
        names = translator.tokenizer.names(range(translator.tokenizer.vocab_size)) if as_json else []
        for answer in score_lines(stream, str(path or "stdin"), translator, to):
            if as_json:
                line = json_line(score_table(answer, names))
            else:
                line = f"{answer.log_prob:.6f}\t{len(answer.ids)}\t{answer.score:.6f}"
            sys.stdout.buffer.write(line.encode() + b"\n")
    sys.stdout.buffer.flush()


def score_table(answer: "Hypothesis", names: list[str]) -> dict[str, Any]:
    """For `--json`; `names` are those of all tokens."""
    return {
        "log_prob": answer.log_prob,
        "tokens": len(answer.ids),
        "log_prob_per_token": answer.score,
        "pieces": [names[token] for token in answer.ids],
        "token_log_probs": list(answer.token_log_probs),
    }
