"""How far a translation is, and what is logged meanwhile."""

import io
import logging

import pytest
from rich.console import Console
from rich.progress import Progress, TextColumn

from attendo.documents.line_reader import Chunk
from attendo.documents.pipeline import warnings_of
from attendo.documents.progress import MOST_WARNINGS, TranslationProgress, log_above
from attendo.translation.answer import Ledger, Translation
from tests.translation.fake_engine import logged

BROKEN = Translation("a", Ledger(), 0.1, "fake", "zh", "en", warnings=("broken",))


def test_what_is_logged_while_a_bar_is_shown_comes_above_it():
    out, logger = io.StringIO(), logging.getLogger("attendo")
    console = Console(file=out, force_terminal=True, width=80)
    with logged() as below, Progress(TextColumn("{task.fields[state]}"), console=console) as bars, log_above(bars):
        TranslationProgress(bars, "line", None)
        bars.refresh()
        logger.warning("red \x1b[31m text")
        bars.refresh()
    shown = out.getvalue()
    assert "attendo: red ␛[31m text\n" in shown.replace("\r", "")
    assert shown.index("loading the model") < shown.index("attendo: red") < shown.rindex("loading the model")
    assert below == []


def test_the_first_warnings_are_told_and_the_rest_counted():
    progress = TranslationProgress(None, "in.txt, line", None)
    with logged() as messages:
        progress.done(Chunk(3, ["a"] * 12, True, 24), warnings_of([BROKEN] * 12, 3))
        progress.finish()
    assert messages[0] == "in.txt, line 3: broken"
    assert messages[MOST_WARNINGS:] == ["and 2 more remarks"]


@pytest.mark.parametrize(
    ("language", "counted", "first", "then"),
    [
        ("en", "lines", "0 lines", "12 lines, "),
        ("en", "segments", "0 segments", "12 segments, "),
        ("zh", "lines", "0 行", "12 行，"),
        ("zh", "segments", "0 段", "12 段，"),
    ],
)
def test_what_is_counted_is_named(language, counted, first, then):
    with Progress(TextColumn("{task.fields[state]}"), console=Console(file=io.StringIO())) as bars:
        progress = TranslationProgress(bars, "line", 48, language=language)
        progress.passed(0, 0, counted)
        assert bars.tasks[0].fields["state"] == first
        progress.advance(Chunk(1, ["a"] * 12, True, 24))
        assert bars.tasks[0].fields["state"].startswith(then)
