"""Options that several commands have, said once."""

from pathlib import Path
from typing import TYPE_CHECKING

import typer

from attendo.cli.help import CHECKS, LANGUAGES_AND_MODEL, MACHINE, SAMPLING, SEARCH
from attendo.errors import ConfigError, UsageError

if TYPE_CHECKING:
    from attendo.decoding.options import SamplingOptions

MODEL = typer.Option(
    "--model",
    metavar="MODEL",
    rich_help_panel=LANGUAGES_AND_MODEL,
    help="A model folder, or the name of an installed model (see attendo models). "
    "By default the model that comes with attendo.",
)
ENGINE = typer.Option(
    "--engine",
    metavar="auto|torch|ct2",
    rich_help_panel=MACHINE,
    help="The engine that computes: ct2 (CTranslate2, fast on a CPU), torch (fast on a GPU), or auto, "
    "which takes ct2 on a CPU where it knows the model, and torch elsewhere. Default: auto.",
)
DEVICE = typer.Option(
    "--device",
    metavar="auto|cpu|cuda",
    rich_help_panel=MACHINE,
    help="Where to compute: cpu, cuda (an NVIDIA GPU), or auto, a GPU if there is one. Default: auto.",
)
THREADS = typer.Option(
    "--threads",
    min=1,
    max=256,
    metavar="N",
    rich_help_panel=MACHINE,
    help="How many CPU threads to use. By default as many as the machine has cores.",
)
FULL_VOCABULARY = typer.Option(
    "--full-vocabulary",
    rich_help_panel=MACHINE,
    help="Do without the model's shortlist of what is said in each language: slower, for who wants to compare.",
)
BEAM = typer.Option(
    "--beam",
    min=1,
    max=256,
    metavar="N",
    rich_help_panel=SEARCH,
    help="How many hypotheses beam search keeps at each step; 1 is greedy search. Default: 4.",
)
PASSES = typer.Option(
    "--passes",
    min=1,
    max=1000,
    metavar="K",
    rich_help_panel=SEARCH,
    help="For a non-autoregressive model, which has no beam: how often it goes over the words of a sentence, "
    "all at once. Default: 10.",
)
NO_WIDER_RETRY = typer.Option(
    "--no-wider-retry",
    rich_help_panel=SEARCH,
    help="Do not try again with a wider beam where a number or an address was lost. Faster, less careful.",
)
SAMPLE = typer.Option(
    "--sample",
    rich_help_panel=SAMPLING,
    help="Draw a translation at random, by the probabilities of the model, instead of searching for the likeliest.",
)
SAMPLE_OR_PASSES = "--sample and --passes exclude each other: a model that gives all words at once draws none"
SAMPLE_OR_BEAM = "--sample and --beam exclude each other: a sample is drawn, not searched for"
# Of the four without a value the default is that of `SamplingOptions`, and the command can tell that none was named.
TEMPERATURE = typer.Option(
    "--temperature",
    metavar="T",
    rich_help_panel=SAMPLING,
    help="Divide the logits by this before the softmax, above 0 up to 100: below 1 likely tokens become likelier, "
    "above 1 less so. Default: 1.",
)
TOP_K = typer.Option(
    "--top-k",
    metavar="K",
    rich_help_panel=SAMPLING,
    help="Draw from the K likeliest tokens only; 0 means from all. Default: 0.",
)
TOP_P = typer.Option(
    "--top-p",
    metavar="P",
    rich_help_panel=SAMPLING,
    help="Draw from the fewest likeliest tokens that together have this probability, above 0 up to 1. Default: 1.",
)
SEED = typer.Option(
    "--seed",
    metavar="S",
    rich_help_panel=SAMPLING,
    help="Whole number from which all draws follow: with the same seed a command draws the same. Default: 1.",
)
FROM = typer.Option(
    "--from",
    metavar="LANGUAGE",
    rich_help_panel=LANGUAGES_AND_MODEL,
    help="Language of the text, such as zh. By default it is detected from the text itself.",
)
GLOSSARY = typer.Option(
    "--glossary",
    metavar="FILE",
    rich_help_panel=CHECKS,
    help="File of fixed translations, a line each: TERM<TAB>TRANSLATION, or TERM alone to leave it as it is.",
)
KEEP = typer.Option(
    "--keep",
    rich_help_panel=CHECKS,
    help="Force numbers, web and mail addresses, emoji and placeholders of the source into the translation.",
)
STRICT = typer.Option(
    "--strict",
    rich_help_panel=CHECKS,
    help="Stop with an error at the first line that is not UTF-8, instead of replacing what is broken.",
)


def sampling_of(
    temperature: float | None, top_k: int | None, top_p: float | None, seed: int | None
) -> "SamplingOptions":
    """The four options as one value; a wrong one is wrong usage."""
    from attendo.decoding.options import SamplingOptions

    typed = {"temperature": temperature, "top_k": top_k, "top_p": top_p, "seed": seed}
    try:
        return SamplingOptions(**{name: value for name, value in typed.items() if value is not None})  # type: ignore[arg-type]
    except ConfigError as error:
        raise UsageError(str(error)) from error


def sampling_asked_for(
    sample: bool, temperature: float | None, top_k: int | None, top_p: float | None, seed: int | None
) -> "SamplingOptions | None":
    """Of a command that searches unless it is told to --sample."""
    if sample:
        return sampling_of(temperature, top_k, top_p, seed)
    typed = {"--temperature": temperature, "--top-k": top_k, "--top-p": top_p, "--seed": seed}
    for option, value in typed.items():
        if value is not None:
            raise UsageError(f"{option} belongs to --sample: without it a translation is searched for, not drawn")
    return None


def check_file_name(option: str, path: Path) -> None:
    """Of a file that will be written, before the work begins that would be lost."""
    if path.is_dir() or not path.parent.is_dir():
        raise UsageError(f"{option} is {path}: expected the name of a file, in a folder that is there")


def check_unpacked(option: str, path: Path | None) -> None:
    """Plain text under the name of a packed file could be read by nobody, not even by us."""
    from attendo.files.packed import ENDINGS

    if path and path.suffix in ENDINGS:
        raise UsageError(f"{option} is {path}: attendo writes plain text; pack it afterwards")


def typed_path(text: str) -> Path:
    """A path of the command line: - is stdin or stdout, and ./- a file of that name, which Path would take for one."""
    path = Path(text)
    return Path.cwd() / path if path == Path("-") and text != "-" else path
