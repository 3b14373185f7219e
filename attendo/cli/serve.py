"""attendo serve: a translation service that many programs already speak to, and its page."""

import gc
import logging
import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from attendo.cli.help import ACCESS, LANGUAGES_AND_MODEL, LIMITS, OTHER, SEARCH
from attendo.cli.language import language_of
from attendo.cli.options import DEVICE, ENGINE, FULL_VOCABULARY, THREADS
from attendo.cli.terminal import print_note
from attendo.errors import ConfigError
from attendo.report.messages import say

OBJECTS_BETWEEN_SEARCHES = 10_000  # more than the requests of 64 clients have at once
NEEDS_SERVE = "attendo serve needs {name}: pip install 'attendo[serve]' (in a clone: make install)"


def serve(
    context: typer.Context,
    host: Annotated[
        str,
        typer.Option(
            "--host",
            metavar="ADDRESS",
            rich_help_panel=ACCESS,
            help="Address to listen on. Any other than this machine's own needs a key, or --without-key.",
        ),
    ] = "127.0.0.1",
    port: Annotated[
        int,
        typer.Option(
            "--port",
            min=0,
            max=65_535,
            metavar="N",
            rich_help_panel=ACCESS,
            help="Port to listen on; 0 takes one that is free.",
        ),
    ] = 5000,
    model: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            metavar="MODEL",
            rich_help_panel=LANGUAGES_AND_MODEL,
            help="Folder or name of a model; several may be given, and the languages decide which one translates.",
        ),
    ] = None,
    api_key_file: Annotated[
        Path | None,
        typer.Option(
            "--api-key-file",
            metavar="FILE",
            rich_help_panel=ACCESS,
            help="File with a key on each line. Only clients that send one of them are served.",
        ),
    ] = None,
    without_key: Annotated[
        bool,
        typer.Option("--without-key", rich_help_panel=ACCESS, help="Serve all who can reach --host, without a key."),
    ] = False,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-host",
            metavar="NAME",
            rich_help_panel=ACCESS,
            help="Answer to this name as well, such as that of a container. Otherwise only to localhost, without keys.",
        ),
    ] = None,
    allow_origin: Annotated[
        list[str] | None,
        typer.Option(
            "--allow-origin",
            metavar="ORIGIN",
            rich_help_panel=ACCESS,
            help="Let pages of this site use the server, such as https://wiki.example.org.",
        ),
    ] = None,
    strict_origins: Annotated[
        bool,
        typer.Option(
            "--strict-origins", rich_help_panel=ACCESS, help="Refuse browser extensions and desktop apps as well."
        ),
    ] = False,
    engine: Annotated[str, ENGINE] = "auto",
    device: Annotated[str, DEVICE] = "auto",
    threads: Annotated[int | None, THREADS] = None,
    full_vocabulary: Annotated[bool, FULL_VOCABULARY] = False,
    beam: Annotated[
        int | None,
        typer.Option(
            "--beam",
            min=1,
            max=64,
            metavar="N",
            rich_help_panel=SEARCH,
            help="Size of the beam for clients that name none; 1 is the fastest. By default that of attendo translate.",
        ),
    ] = None,
    max_characters: Annotated[
        int | None,
        typer.Option(
            "--max-characters",
            min=1,
            max=100_000_000,
            metavar="N",
            rich_help_panel=LIMITS,
            help="Most characters of one request. Default: 50,000.",
        ),
    ] = None,
    max_requests: Annotated[
        int | None,
        typer.Option(
            "--max-requests",
            min=1,
            max=10_000,
            metavar="N",
            rich_help_panel=LIMITS,
            help="Most requests that wait or are served at once; others are told to come again. Default: 256.",
        ),
    ] = None,
    timeout: Annotated[
        float | None,
        typer.Option(
            "--timeout",
            min=0.1,
            max=86_400,
            metavar="SECONDS",
            rich_help_panel=LIMITS,
            help="Most seconds until a request is answered. Default: 120.",
        ),
    ] = None,
    log_texts: Annotated[
        bool,
        typer.Option(
            "--log-texts",
            rich_help_panel=OTHER,
            help="Write texts and translations to the log (stderr). Without this no text is kept or logged.",
        ),
    ] = False,
    spec_title: Annotated[
        str | None,
        typer.Option(
            "--spec-title",
            metavar="TITLE",
            rich_help_panel=ACCESS,
            help="Title that /spec gives. The client Dialect accepts only LibreTranslate.",
        ),
    ] = None,
) -> None:
    """Serve translations over HTTP, as LibreTranslate, DeepL and others do, with a page at the same address.

    Examples:
        # On this machine alone; the page tells what to paste into which program
        attendo serve
        # For others on the network, who need one of the keys in the file
        attendo serve --host 0.0.0.0 --api-key-file keys.txt
        # Two models, chosen by the languages of each text
        attendo serve --model default --model runs/mine/model
    """
    language = language_of(context)
    # numpy's, read when it is loaded: the glass has small products, and threads that wait for each other over them
    # would take both cores from what translates. The engines have threads of their own.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from attendo.server.access import Access, check_exposure, read_keys
        from attendo.server.limits import ServerLimits
        from attendo.server.metrics import Metrics
        from attendo.server.models import load_models
        from attendo.server.run import bind, serve_until_told
        from attendo.server.service import Service
    except ModuleNotFoundError as error:
        if (error.name or "").startswith("attendo"):
            raise
        raise ConfigError(NEEDS_SERVE.format(name=error.name)) from error

    keys = read_keys(api_key_file) if api_key_file else frozenset()
    check_exposure(host, keys, without_key)
    limits = ServerLimits.asked(max_characters, max_requests, timeout)
    access = Access(
        host=host, keys=keys, allowed_hosts=tuple(name.lower() for name in allow_host or ()),
        allowed_origins=tuple(allow_origin or ()), strict_origins=strict_origins,
    )  # fmt: skip
    bound = bind(host, port)
    metrics = Metrics()
    models = load_models(
        model or [None], metrics,
        engine=engine,  # type: ignore[arg-type]
        device=device, threads=threads, full_vocabulary=full_vocabulary,
    )  # fmt: skip
    service = Service(models, limits, metrics, beam, log_texts=log_texts)
    address = f"http://{f'[{host}]' if ':' in host else host}:{bound.getsockname()[1]}"

    def begin() -> None:
        directions = ", ".join(f"{source}-{target}" for source, target in models.directions)
        print_note(f"attendo: {say(f'ready at {address} ({directions}); Ctrl-C ends it', language)}")

    logging.getLogger("attendo").setLevel(logging.INFO)
    serve_until_told(service, access, bound, begin, on_loaded=search_less_for_cycles, spec_title=spec_title)
    if service.under_way:  # threads whose clients have left, or whose time is up: nobody waits for them any more
        sys.stderr.flush()
        os._exit(0)


def search_less_for_cycles() -> None:
    """This process does nothing but serve. What is loaded stays, and need not be searched for cycles again and again;
    what a request makes goes by itself when it is answered or refused (tests/server/test_leaks.py), so the search can
    wait. It took 0.2 ms a request. Nobody is served yet, as this takes a moment in which nothing else runs."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(OBJECTS_BETWEEN_SEARCHES, *gc.get_threshold()[1:])
