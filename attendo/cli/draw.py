"""attendo draw: the drawings of a lecture, from a preset or from a model and its sentence."""

import re
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from attendo.cli.help import INPUT_AND_OUTPUT, LANGUAGES_AND_MODEL
from attendo.cli.language import language_of
from attendo.cli.options import MODEL, check_file_name
from attendo.cli.terminal import as_utf8, print_note
from attendo.inspection.drawings.options import DRAWINGS, DrawOptions, check_drawing, check_ending
from attendo.model.presets import PRESETS
from attendo.report.language import in_language

DRAWING_HELP = f"What to draw: {', '.join(DRAWINGS)}."
PRESET_HELP = f"Draw a preset ({', '.join(PRESETS)}). By default the paper's base model, or a sentence of a model."
size_option = partial(typer.Option, metavar="N", min=1, max=1_000_000, rich_help_panel=LANGUAGES_AND_MODEL)


def draw(
    context: typer.Context,
    drawing: Annotated[str, typer.Argument(metavar="DRAWING", help=DRAWING_HELP)],
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            metavar="FILE",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="File to write: .svg or .png, a slide of 16:9; the embeddings also as a page, .html.",
        ),
    ],
    texts: Annotated[
        list[str] | None,
        typer.Option(
            "--text",
            metavar="TEXT",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="The sentence to show; for masks several times, a batch. By default 我爱机器学习.",
        ),
    ] = None,
    to: Annotated[
        str | None,
        typer.Option(
            "--to",
            metavar="LANGUAGE",
            rich_help_panel=LANGUAGES_AND_MODEL,
            help="Language into which the sentence is translated, such as en.",
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            "--target",
            metavar="TEXT",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="Show this translation of the sentence instead of the model's own.",
        ),
    ] = None,
    model: Annotated[str | None, MODEL] = None,
    preset: Annotated[
        str | None,
        typer.Option("--preset", metavar="PRESET", rich_help_panel=LANGUAGES_AND_MODEL, help=PRESET_HELP),
    ] = None,
    d_model: Annotated[
        int | None, size_option("--d-model", help="Width of the model, instead of the preset's.")
    ] = None,
    heads: Annotated[int | None, size_option("--heads", help="Number of heads, instead of the preset's.")] = None,
    layers: Annotated[
        int | None,
        size_option("--layers", help="Layers of the encoder and of the decoder, instead of the preset's."),
    ] = None,
    d_ff: Annotated[
        int | None,
        size_option("--d-ff", help="Inner width of the feed-forward part, instead of the preset's."),
    ] = None,
    vocab: Annotated[
        int | None, size_option("--vocab", help="Vocabulary size in tokens, instead of the preset's.")
    ] = None,
    norm_order: Annotated[
        str | None,
        typer.Option(
            "--norm-order",
            metavar="pre|post",
            rich_help_panel=LANGUAGES_AND_MODEL,
            help="Where the norms stand, before or after each part, instead of the preset's.",
        ),
    ] = None,
    words: Annotated[
        str | None,
        typer.Option(
            "--words",
            metavar="WORD,WORD",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="Words whose neighbours in the table of embeddings to show, such as 学习,water.",
        ),
    ] = None,
    warmup: Annotated[
        int | None, size_option("--warmup", help="Steps of warmup of the learning rate. Default: 4,000.")
    ] = None,
    steps: Annotated[
        int | None,
        size_option("--steps", help="Steps of training to draw the learning rate of. Default: 20,000."),
    ] = None,
) -> None:
    """Make a drawing for a lecture, from a preset or from a model and its sentence, with the model's own numbers.

    Examples:
        # Figure 1 of the paper, with the shapes of the base model
        attendo draw architecture --out architecture.svg
        # The same of the model that you trained
        attendo draw architecture --model runs/mine/model --out mine.png
        # Who looks at whom in the three attentions, with the model's weights
        attendo draw three-attentions --text 我爱机器学习 --to en --out three.svg
        # Padding mask and causal mask of two sentences, in Chinese
        attendo draw masks --text 我爱机器学习 --text 谢谢 --out masks.png --lang zh
        # Neighbours of two words in the table of embeddings, and a map of common words, as a page
        attendo draw embeddings --words 学习,learning --out embeddings.html
    """
    options = DrawOptions(
        preset=preset,
        model=model,
        d_model=d_model,
        num_heads=heads,
        num_layers=layers,
        d_ff=d_ff,
        vocab_size=vocab,
        norm_order=norm_order,
        texts=tuple(map(as_utf8, texts or ())),
        to=to,
        target=None if target is None else as_utf8(target),
        warmup_steps=warmup,
        max_steps=steps,
        words=tuple(filter(None, re.split(r"[,，、\s]+", as_utf8(words or "")))),
    )
    check_drawing(drawing, options)
    check_ending(drawing, out)
    check_file_name("--out", out)

    from attendo.files.apart import check_apart
    from attendo.model_folder.bundle import model_folder

    check_apart(reads={"--model": model_folder(model)}, writes={"--out": out})

    from attendo.inspection.drawings.draw import draw as write_drawing

    language = language_of(context)
    write_drawing(drawing, out, options, language)
    print_note(in_language(language)(f"wrote {out}", f"已写入 {out}"))
