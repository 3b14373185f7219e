"""attendo explain: one sentence through the machine, every number of it, in the terminal or as a page."""

import os
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Annotated, get_args

import typer

from attendo.cli.help import HANDS, INPUT_AND_OUTPUT, LANGUAGES_AND_MODEL, WHAT_IS_SHOWN
from attendo.cli.inspect import read_stdin
from attendo.cli.language import language_of
from attendo.cli.options import BEAM, FROM, MODEL
from attendo.cli.terminal import as_utf8, print_note, print_result
from attendo.errors import InputError, UsageError
from attendo.report.language import in_language
from attendo.report.messages import say


def explain(
    context: typer.Context,
    text: Annotated[
        str, typer.Argument(metavar="TEXT", help="The sentence to translate and explain; - reads it from stdin.")
    ],
    to: Annotated[
        str,
        typer.Option(
            "--to",
            metavar="LANGUAGE",
            rich_help_panel=LANGUAGES_AND_MODEL,
            help="Language to translate into, such as en.",
        ),
    ],
    start: Annotated[str | None, FROM] = None,
    model: Annotated[str | None, MODEL] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="Folder to write the page (explain.html) to: one file with every number, which needs no network.",
        ),
    ] = None,
    target: Annotated[
        str | None,
        typer.Option(
            "--target",
            metavar="TEXT",
            rich_help_panel=INPUT_AND_OUTPUT,
            help="The right translation, for the training pass. By default the model's own.",
        ),
    ] = None,
    tensor: Annotated[
        list[str] | None,
        typer.Option(
            "--tensor",
            metavar="NAME",
            rich_help_panel=WHAT_IS_SHOWN,
            help="Print every number of this tensor instead, such as encoder.0.self_attention.weights; "
            "list prints the names and shapes of all. May be given several times.",
        ),
    ] = None,
    beam: Annotated[int, BEAM] = 4,
    layer: Annotated[
        int | None,
        typer.Option(
            "--layer", metavar="N", rich_help_panel=WHAT_IS_SHOWN, help="Layer to write out, from 1. Default: 1."
        ),
    ] = None,
    head: Annotated[
        int | None,
        typer.Option(
            "--head",
            metavar="N",
            rich_help_panel=WHAT_IS_SHOWN,
            help="Head to show, from 1. By default the sharpest of each layer.",
        ),
    ] = None,
    position: Annotated[
        int | None,
        typer.Option(
            "--position",
            metavar="N",
            rich_help_panel=WHAT_IS_SHOWN,
            help="Piece of the source whose row is shown; 0 is the tag of the language. Default: 1.",
        ),
    ] = None,
    step: Annotated[
        int | None,
        typer.Option(
            "--step",
            metavar="N",
            rich_help_panel=WHAT_IS_SHOWN,
            help="Step of the decoder to write out, from 1. Default: 1.",
        ),
    ] = None,
    dimension: Annotated[
        int,
        typer.Option(
            "--dimension",
            metavar="N",
            rich_help_panel=WHAT_IS_SHOWN,
            help="Column of the weight matrices, from 0, whose products the page unfolds beside the first two; "
            "of Q, K and V a column of each head.",
        ),
    ] = 0,
    head_off: Annotated[
        list[str] | None,
        typer.Option(
            "--head-off",
            metavar="WHERE:LAYER:HEAD",
            rich_help_panel=HANDS,
            help="Let a head give zeros: encoder, decoder or cross, layer and head from 1, such as cross:2:3; "
            "cross:2 means all heads of the layer. May be given several times.",
        ),
    ] = None,
    feed_forward_off: Annotated[
        list[str] | None,
        typer.Option(
            "--feed-forward-off",
            metavar="WHERE:LAYER",
            rich_help_panel=HANDS,
            help="Let a feed-forward part give zeros: encoder or decoder, and the layer from 1, such as encoder:1. "
            "May be given several times.",
        ),
    ] = None,
    erase: Annotated[
        list[str] | None,
        typer.Option(
            "--erase",
            metavar="WORD",
            rich_help_panel=HANDS,
            help="Erase a word of the source: whoever looks at it gets zeros. May be given several times.",
        ),
    ] = None,
    force: Annotated[
        list[str] | None,
        typer.Option(
            "--force",
            metavar="STEP=WORD",
            rich_help_panel=HANDS,
            help="Let this word come at this step, counted from 1, such as 2=adore. May be given several times.",
        ),
    ] = None,
    positions: Annotated[
        str,
        typer.Option(
            "--positions",
            metavar="on|off|shuffled",
            rich_help_panel=HANDS,
            help="Switch the positions off, or shuffle those of the source. Default: on.",
        ),
    ] = "on",
    seed: Annotated[
        int,
        typer.Option(
            "--seed",
            metavar="N",
            min=0,
            max=2**32 - 1,
            rich_help_panel=HANDS,
            help="Random seed of the shuffle. Default: 1.",
        ),
    ] = 1,
    temperature: Annotated[
        float,
        typer.Option(
            "--temperature",
            metavar="T",
            rich_help_panel=HANDS,
            help="Divide the logits by this before the softmax, 0.01 to 100. Default: 1.",
        ),
    ] = 1.0,
    no_causal_mask: Annotated[
        bool,
        typer.Option(
            "--no-causal-mask",
            rich_help_panel=HANDS,
            help="Let the decoder look at later positions, as far as they are written.",
        ),
    ] = False,
    no_scale: Annotated[
        bool,
        typer.Option("--no-scale", rich_help_panel=HANDS, help="Do not divide the scores of attention by √d_k."),
    ] = False,
) -> None:
    """Take one sentence through the Transformer and show every number: pieces, Q, K, V, scores, softmax, each step.

    With a hand on the model (a head off, a word erased) both translations stand side by side. Needs no PyTorch.

    Examples:
        # The walk in the terminal
        attendo explain 我爱机器学习 --to en
        # A page to click through, in Chinese
        attendo explain 我爱机器学习 --to en --out out/ --lang zh
        # What if nobody could see 机器?
        attendo explain 我爱机器学习 --to en --erase 机器
        # All attention weights of one layer, number by number
        attendo explain 我爱机器学习 --to en --tensor encoder.2.self_attention.weights
    """
    sentence = read_stdin() if text == "-" else as_utf8(text)
    if not sentence.strip():
        raise InputError("the text is empty: expected a sentence to translate")
    # One sentence is small: on a machine that does something else, too, a second thread waits longer than it helps.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

    from attendo.explain.explain import explain as explain_sentence
    from attendo.explain.hand_words import HandWords
    from attendo.explain.terminal import explanation_lines, summary_lines
    from attendo.explain.terminal_tables import tensor_lines
    from attendo.explain.view import view_of
    from attendo.glass.hands import PositionsHand

    if positions not in get_args(PositionsHand):
        raise UsageError(f"--positions is '{positions}': expected on, off or shuffled")
    if tensor and out is not None:
        raise UsageError("--tensor and --out exclude each other: a tensor is printed, a page holds all that is shown")
    hands = HandWords(
        heads_off=words(head_off),
        feed_forward_off=words(feed_forward_off),
        erase=words(erase),
        force=words(force),
        causal_mask=not no_causal_mask,
        scale=not no_scale,
        positions=positions,  # type: ignore[arg-type]  # it was just looked up
        seed=seed,
        temperature=temperature,
    )
    language = language_of(context)
    folder: AbstractContextManager[None] = nullcontext()
    if out is not None:
        from attendo.explain.page import PAGE
        from attendo.files.apart import check_apart
        from attendo.model_folder.bundle import model_folder
        from attendo.report.page import folder_for_pages

        check_apart(reads={"--model": model_folder(model)}, writes={"--out": out / PAGE})
        folder = folder_for_pages(out)
    with folder:
        found = explain_sentence(
            sentence, to, start, model, target=None if target is None else as_utf8(target), beam=beam, hands=hands
        )
        view = view_of(found, layer, head, position, step, dimension)
        for remark in found.shown.remarks:
            print_note(f"attendo: {say(remark, language)}")
        if out is not None:
            from attendo.explain.page import write_page

            page = write_page(out, found, view, language)
            print_result("\n".join(summary_lines(found, language)))
            print_note(in_language(language)(f"wrote {page}", f"已写入 {page}"))
        elif tensor:
            print_result("\n".join(tensor_lines(found, [as_utf8(name) for name in tensor])))
        else:
            print_result("\n".join(explanation_lines(found, view, language)))


def words(typed: list[str] | None) -> tuple[str, ...]:
    return tuple(as_utf8(one) for one in typed or ())
