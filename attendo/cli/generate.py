"""attendo generate: a language model goes on with a prompt, or begins freely."""

import json
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from attendo.cli.help import INPUT_AND_OUTPUT, LANGUAGES_AND_MODEL, SAMPLING
from attendo.cli.options import DEVICE, ENGINE, SEED, THREADS, TOP_K, TOP_P, sampling_of
from attendo.cli.terminal import as_utf8
from attendo.errors import UsageError

if TYPE_CHECKING:
    from attendo.decoding.options import SamplingOptions
    from attendo.generation.language_model import GeneratedText, LanguageModel

PROMPTS_TOGETHER = 100  # tokens of stdin read at once: prompts are short, and each is answered as it comes


def generate(
    model: Annotated[
        str,
        typer.Option(
            "--model",
            metavar="MODEL",
            rich_help_panel=LANGUAGES_AND_MODEL,
            help="Folder of a decoder-only model that was trained on plain text (see recipes/language-model.toml).",
        ),
    ],
    prompt: Annotated[
        str,
        typer.Argument(
            metavar="[PROMPT]",
            help="How the text begins; - reads a prompt from each line of stdin. Without one the model begins freely.",
        ),
    ] = "",
    samples: Annotated[
        int,
        typer.Option(
            "-n",
            "--samples",
            metavar="N",
            min=1,
            max=100_000,
            rich_help_panel=SAMPLING,
            help="How many texts to draw for each prompt, a line each. Default: 1.",
        ),
    ] = 1,
    temperature: Annotated[
        float,
        typer.Option(
            "--temperature",
            metavar="T",
            min=0,
            max=100,
            rich_help_panel=SAMPLING,
            help="Divide the logits by this before the softmax: below 1 likely tokens become likelier, above 1 less "
            "so; 0 takes the likeliest token each time. Default: 1.",
        ),
    ] = 1.0,
    top_k: Annotated[int | None, TOP_K] = None,
    top_p: Annotated[float | None, TOP_P] = None,
    seed: Annotated[int | None, SEED] = None,
    max_length: Annotated[
        int,
        typer.Option(
            "--max-length",
            metavar="N",
            min=1,
            max=100_000,
            rich_help_panel=SAMPLING,
            help="Stop after so many tokens, if the text has not ended before. Default: 200.",
        ),
    ] = 200,
    engine: Annotated[str, ENGINE] = "auto",
    device: Annotated[str, DEVICE] = "auto",
    threads: Annotated[int | None, THREADS] = None,
    as_json: Annotated[
        bool,
        typer.Option(
            "--json",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="Print one JSON object a line, with prompt, continuation, seed and whether the text ended by itself.",
        ),
    ] = False,
) -> None:
    """Let a language model go on with a text, drawn token by token from its distribution.

    On a terminal each character appears as soon as it is drawn. The same seed draws the same text, and the second of
    three samples is the second of ten.

    Examples:
        # Go on with a text
        attendo generate 春天 --model runs/text/model
        # Ten texts that the model begins itself, from the likelier tokens only
        attendo generate --model runs/text/model -n 10 --temperature 0.8 --top-p 0.95
        # The likeliest token each time, as JSON
        attendo generate 我们 --model runs/text/model --temperature 0 --json
    """
    sampling = sampling_options(temperature, top_k, top_p, seed)
    check_seeds(sampling, samples)

    from attendo.generation.load import load_language_model
    from attendo.text.normalize import repair

    language_model = load_language_model(model, engine=cast(Any, engine), device=device, threads=threads)
    prompts = lines_of_stdin() if prompt == "-" else iter([as_utf8(prompt)])
    for typed in prompts:
        one = repair(typed)[0]
        if as_json:
            for text in language_model.generate(one, samples=samples, max_length=max_length, sampling=sampling):
                write(json.dumps(to_table(text), ensure_ascii=False) + "\n")
        else:
            write_texts(language_model, one, samples, max_length, sampling)


def sampling_options(
    temperature: float, top_k: int | None, top_p: float | None, seed: int | None
) -> "SamplingOptions | None":
    """None: nothing is drawn, the likeliest token is taken each time."""
    if temperature != 0:  # nor is "nan", which is told to be no temperature
        return sampling_of(temperature, top_k, top_p, seed)
    for option, value in (("--top-k", top_k), ("--top-p", top_p), ("--seed", seed)):
        if value is not None:
            raise UsageError(f"{option} with --temperature 0: nothing is drawn, the likeliest token is taken each time")
    return None


def check_seeds(sampling: "SamplingOptions | None", samples: int) -> None:
    """Before the first text is drawn."""
    from attendo.decoding.options import LARGEST_SEED

    if sampling and sampling.seed + samples - 1 > LARGEST_SEED:
        raise UsageError(
            f"--seed is {sampling.seed:,} and -n {samples:,}: each text has a seed of its own, counted up, "
            f"and the largest is {LARGEST_SEED:,}"
        )


def write_texts(
    model: "LanguageModel", prompt: str, samples: int, max_length: int, sampling: "SamplingOptions | None"
) -> None:
    """A line each; where somebody watches, as it is drawn."""
    from attendo.report.formatting import visible

    if not sys.stdout.isatty():
        for text in model.generate(prompt, samples=samples, max_length=max_length, sampling=sampling):
            write(visible(text.text) + "\n")
        return
    for stream in model.streams(prompt, samples=samples, max_length=max_length, sampling=sampling):
        write(visible(prompt))
        for piece in stream:
            write(visible(piece))
        write("\n")


def to_table(text: "GeneratedText") -> dict[str, Any]:
    return {
        "prompt": text.prompt,
        "continuation": text.continuation,
        "text": text.text,
        "ended": text.ended,
        "tokens": text.tokens,
        "seed": text.seed,
    }


def write(text: str) -> None:
    """At once, so that a reader sees each text, or each character, as it comes."""
    sys.stdout.buffer.write(text.encode("utf-8", errors="replace"))
    sys.stdout.buffer.flush()


def lines_of_stdin() -> Iterator[str]:
    from attendo.documents.line_reader import LineReader, opened

    with opened(None) as stream:
        for chunk in LineReader(stream, "stdin").chunks(PROMPTS_TOGETHER):
            yield from chunk.texts
