"""attendo tokenizer: learn pieces from text; lines of text to lines of ids and back."""

import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from attendo.cli.help import INPUT_AND_OUTPUT, LANGUAGES_AND_MODEL, AttendoCommand, AttendoGroup
from attendo.cli.options import STRICT
from attendo.cli.terminal import print_note, print_result
from attendo.errors import DataError, InputError, UsageError
from attendo.files.apart import STANDARD, check_apart

if TYPE_CHECKING:
    from attendo.data.lines import Problem
    from attendo.text.tokenizer import Tokenizer

BATCH = 1000  # lines encoded at once: enough for all cores, little to hold

app = typer.Typer(
    cls=AttendoGroup,
    help="""Train a tokenizer, encode text as ids, decode ids to text.

    Examples:
        # Learn 8,000 pieces from a corpus, then see how a sentence is cut
        attendo tokenizer train corpus.tsv --languages zh,en --vocab-size 8000 --out tokenizer.json
        echo 我爱机器学习 | attendo tokenizer encode tokenizer.json --pieces
    """,
)

TokenizerFile = Annotated[
    Path, typer.Argument(metavar="FILE", help="A tokenizer.json, from attendo tokenizer train or a model folder.")
]


@app.command(cls=AttendoCommand)
def train(
    corpora: Annotated[
        list[Path],
        typer.Argument(
            metavar="CORPUS...",
            help="Files to learn from: text, .tsv, .jsonl or .tmx, also compressed (.gz, .xz, .zst).",
        ),
    ],
    languages: Annotated[
        str,
        typer.Option(
            "--languages",
            metavar="A,B,...",
            rich_help_panel=LANGUAGES_AND_MODEL,
            help="All languages of the future model, with commas between them, such as zh,en.",
        ),
    ],
    out: Annotated[
        Path,
        typer.Option(
            "--out", metavar="FILE", rich_help_panel=INPUT_AND_OUTPUT, help="File to write the tokenizer to, as JSON."
        ),
    ],
    vocab_size: Annotated[
        int,
        typer.Option(
            "--vocab-size",
            metavar="N",
            rich_help_panel=LANGUAGES_AND_MODEL,
            help="Size of the vocabulary: pieces, the 256 bytes and special tokens together. Default: 16000.",
        ),
    ] = 16_000,
    kind: Annotated[
        str,
        typer.Option(
            "--kind",
            metavar="KIND",
            rich_help_panel=LANGUAGES_AND_MODEL,
            help="How words are cut: bpe, unigram, wordpiece, char or word. Default: bpe.",
        ),
    ] = "bpe",
) -> None:
    """Train one vocabulary for all languages, on the texts of both sides of the corpora.

    Examples:
        # Byte-pair encoding with 16,000 tokens
        attendo tokenizer train corpus.tsv.xz --languages zh,en --out tokenizer.json
        # A smaller one, by the unigram model
        attendo tokenizer train corpus.tsv --languages de,en --kind unigram --vocab-size 8000 --out tokenizer.json
    """
    from rich.console import Console

    from attendo.text.subword_models import KINDS, LANGUAGE
    from attendo.text.train_tokenizer import TokenizerConfig, train_tokenizer

    known = next((name for name in KINDS if name == kind), None)
    if known is None:
        raise UsageError(f"--kind is '{kind}': expected one of {', '.join(KINDS)}")
    codes = languages.split(",")
    if not all(LANGUAGE.fullmatch(code) for code in codes) or len(set(codes)) != len(codes):
        raise UsageError(f"--languages is '{languages}': expected different codes with commas between, such as zh,en")
    if out.is_dir():
        raise UsageError(f"--out is {out}, a folder: expected the name of a file to write")
    check_apart(reads={"CORPUS": corpora}, writes={"--out": out})
    for path in corpora:
        next(texts(path, codes), None)  # a missing file is reported before the long work

    with Console(stderr=True).status(f"learning {vocab_size:,} ids from {len(corpora)} file(s)"):
        tokenizer = train_tokenizer(
            lambda: (text for path in corpora for text in texts(path, codes)), codes, TokenizerConfig(vocab_size, known)
        )
        out.parent.mkdir(parents=True, exist_ok=True)
        tokenizer.save(out)
    print_result(f"{out}: kind {kind}, {tokenizer.vocab_size:,} ids, languages {languages}")


@app.command(cls=AttendoCommand)
def encode(
    file: TokenizerFile,
    show_pieces: Annotated[
        bool,
        typer.Option(
            "--pieces",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="Write the pieces themselves instead of their ids, with spaces between them.",
        ),
    ] = False,
    strict: Annotated[bool, STRICT] = False,
) -> None:
    """Encode lines of text from stdin as lines of ids on stdout.

    Examples:
        # A sentence as ids
        echo 我爱机器学习 | attendo tokenizer encode tokenizer.json
        # The same as pieces of words; ␣ is a space that belongs to a piece
        echo "Guten Morgen!" | attendo tokenizer encode tokenizer.json --pieces
    """
    from attendo.special_tokens import SPECIAL
    from attendo.text.tokenizer import Tokenizer

    check_apart(reads={"F": file, "stdin": STANDARD}, writes={})
    tokenizer = Tokenizer.load(file)
    names = piece_names(tokenizer) if show_pieces else []
    num_unknown = 0
    for lines in read_batches(strict):
        for ids in tokenizer.encode_all(lines):
            num_unknown += ids.count(SPECIAL.unk)
            write_line(" ".join(names[token] if names else str(token) for token in ids))
    if num_unknown:
        kind = tokenizer.subwords.kind
        print_note(f"attendo: {num_unknown:,} unknown words; the kind {kind} cannot cut them")


def piece_names(tokenizer: "Tokenizer") -> list[str]:
    """Of all ids, each a word without spaces."""
    from attendo.inspection.readable import SPACE
    from attendo.report.formatting import visible

    return [visible(name).replace(" ", SPACE) for name in tokenizer.names(range(tokenizer.vocab_size))]


@app.command(cls=AttendoCommand)
def decode(file: TokenizerFile) -> None:
    """Decode lines of ids from stdin to lines of text on stdout.

    Examples:
        # Text to ids and back
        echo 我爱机器学习 | attendo tokenizer encode tokenizer.json | attendo tokenizer decode tokenizer.json
        # Read ids from a file
        attendo tokenizer decode tokenizer.json < ids.txt
    """
    from attendo.text.tokenizer import Tokenizer

    check_apart(reads={"F": file, "stdin": STANDARD}, writes={})
    tokenizer = Tokenizer.load(file)
    for number, line in enumerate(stdin_lines(strict=True), start=1):
        words = line.split()
        if wrong := [word for word in words if not (word.isascii() and word.isdigit())]:
            raise InputError(f"stdin, line {number}: {wrong[0][:40]!r} is no id: expected whole numbers")
        try:
            text = tokenizer.decode(int(word) for word in words)
        except (ValueError, InputError) as error:
            raise InputError(f"stdin, line {number}: {error}") from error
        # An id may be the byte of a line feed; a line must stay a line.
        write_line(text.replace("\n", " "))


def write_line(text: str) -> None:
    """UTF-8, whatever the terminal's own encoding is."""
    sys.stdout.buffer.write(text.encode() + b"\n")


def texts(path: Path, languages: list[str]) -> Iterator[str]:
    """Every text in a file, whatever side it stands on; its own problems are the doctor's business."""
    from attendo.data.corpus import CorpusFile
    from attendo.data.lines import COMPRESSED, ignore, read_lines

    name = path.with_suffix("") if path.suffix in COMPRESSED else path
    if name.suffix in (".jsonl", ".tmx"):
        for first, second in zip(languages, languages[1:] or languages, strict=False):
            for pair in CorpusFile(path, (first, second)).pairs(ignore):
                yield pair.source
                yield pair.target
    else:
        for line in read_lines(path, ignore):
            yield from line.split("\t")


def read_batches(strict: bool) -> Iterator[list[str]]:
    lines = stdin_lines(strict)
    while batch := list(islice(lines, BATCH)):
        yield batch


def stdin_lines(strict: bool) -> Iterator[str]:
    from attendo.data.lines import decode_line, raw_lines

    def report(problem: "Problem") -> None:
        if strict:
            raise DataError(str(problem))
        print_note(f"attendo: {problem}")

    if sys.stdin is None:
        raise InputError("there is no stdin to read lines from")
    path = Path("stdin")
    for number, raw in enumerate(raw_lines(sys.stdin.buffer, path), start=1):
        yield decode_line(raw, path, number, report)
