"""A run on the screen: the panel at several widths, plain lines where nobody watches, text of strangers, endings."""

import io
import math
import re
import time
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from statistics import fmean

import pytest
from rich.cells import cell_len
from rich.console import Console

from attendo.report.formatting import duration_text, score_text, visible
from attendo.runs.live_status import ThinCurve
from attendo.runs.live_view import BLOCKS, REFRESHES_A_SECOND, LiveView, TrainingPanel, spark_line
from attendo.training.callback import CheckpointRecord, StepRecord, TranslationSample, ValidationRecord

CHINESE = "我们的火车明天早上八点从北京出发，请不要迟到。"
HOSTILE = "[bold red]x[/] \x1b[31mred\x1b]0;title\x07 \u202eback\u2066 \x9b2J \ud800 line\nnext\r\x00"


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Clock:
    now = 1_000.0

    def __call__(self):
        return self.now


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch):
    for name in ("CI", "NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE", "COLUMNS", "LINES"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")


def start_view(console, max_steps, start_step=0, name="", clock=time.monotonic):
    view = LiveView(console, name, clock=clock)
    view.on_start(start_step, max_steps)
    return view


@contextmanager
def live_view(*run, **how):
    """A view of a run that starts, and ends as the block does."""
    view = start_view(*run, **how)
    try:
        yield view
    except BaseException as error:
        view.on_end(error)
        raise
    view.on_end(None)


def record(step, loss=3.5, **changes):
    values = {
        "learning_rate": 3e-4, "gradient_norm": 0.8125, "target_tokens": 23_000, "target_tokens_per_second": 41_000.0,
        "padding": 0.016, "epoch": 3, "batch": step,
    }  # fmt: skip
    return StepRecord(step, loss, **(values | changes))


def train(view, clock, steps=1_200):
    """Half a second a step; validations, checkpoints and a skipped update on the way."""
    for step in range(1, steps + 1):
        clock.now += 0.5
        view.on_step(record(step, math.nan if step == 812 else 3.5 - step / 10_000, skipped=step == 812))
        if step % 500 == 0:
            view.on_validation_start(step)
            samples = (TranslationSample(CHINESE * 9, "Our train leaves at eight.", "The train leaves at eight."),)
            scores = {"loss": 3.2 - step / 10_000, "bleu": 24.0 + step / 1_000, "chrf": 51.25}
            view.on_validation(ValidationRecord(step, scores, step == 500, samples))
            view.on_checkpoint(CheckpointRecord(step, 0.84, Path("checkpoints")))


def panel_lines(view, width):
    console = Console(file=io.StringIO(), width=width, force_terminal=True, color_system=None)
    with console.capture() as capture:
        console.print(TrainingPanel(view.status, view.name))
    return re.sub(r"\x1b\[[\d;]*m", "", capture.get()).splitlines()


def words_of(lines):
    """The words inside the frame, as if nothing had been wrapped."""
    return " ".join(" ".join(line.strip("│ ") for line in lines).split())


@pytest.mark.parametrize("width", [60, 80, 120])
def test_the_panel_holds_every_number(width):
    clock = Clock()
    view = start_view(Console(file=io.StringIO()), 20_000, name="zh-en", clock=clock)
    train(view, clock)
    lines = panel_lines(view, width)
    words = words_of(lines)
    assert "training zh-en" in lines[0]
    for expected in (
        "step 1,200 of 20,000, 6.0%, 10 min gone, 2 h 36 min left",  # 18,800 steps of half a second
        f"loss {score_text('loss', view.status.loss.value)}, last 3.3800",
        "learning rate 3.00e-04, gradient norm 0.812",
        "speed 41,000 target tokens/s, padding 1.6%, epoch 3",
        "validation loss 3.1000, bleu 25.00, chrf 51.25; step 1,000, 1 min 40 s ago",
        "best loss 3.1500, bleu 24.50, chrf 51.25; step 500",
        "skipped 1 update, the last at step 812",
        "checkpoint step 1,000, 1 min 40 s ago, took 0.8 s",
        "source 我们的火车",
        "reference Our train leaves at eight.",
        "translation The train leaves at eight.",
    ):
        assert expected in words
    assert set(BLOCKS) & set(words)


@pytest.mark.parametrize("width", [1, 12, 20, 39, 40, 60, 80, 120, 400])
def test_no_line_is_wider_than_the_terminal(width):
    clock = Clock()
    view = start_view(Console(file=io.StringIO()), 20_000, name="a long name " * 9, clock=clock)
    panel_lines(view, width)  # before the first step
    train(view, clock, steps=600)
    lines = panel_lines(view, width)
    assert max(map(cell_len, lines)) <= width
    assert len({cell_len(line) for line in lines}) == 1, "Chinese takes two columns, and the frame is straight"


def test_before_the_first_step_and_where_no_loss_is_a_number():
    clock = Clock()
    view = start_view(Console(file=io.StringIO()), 100, start_step=40, clock=clock)
    assert "step 40 of 100, 40.0%, 0 s gone, waiting for the first step" in words_of(panel_lines(view, 100))
    view.on_step(record(41, math.nan, gradient_norm=math.inf, skipped=True))
    words = words_of(panel_lines(view, 100))
    assert "loss no number, last no number" in words
    assert "step 41 of 100" in words
    view.on_validation(ValidationRecord(41, {"loss": math.nan}, best=False))
    assert "validation loss no number; step 41" in words_of(panel_lines(view, 100))


def test_what_is_left_is_told_by_the_recent_speed():
    clock = Clock()
    view = start_view(Console(file=io.StringIO()), 10_000, start_step=4_000, clock=clock)
    for step in range(4_001, 7_001):
        clock.now += 60 if step < 5_000 else 0.1  # slow long ago
        view.on_step(record(step))
    assert view.status.seconds_left == pytest.approx(3_000 * 0.1)


def test_a_step_draws_nothing(monkeypatch):
    drawn = []
    draw = TrainingPanel.__rich_console__

    def counted(panel, console, options):
        drawn.append(time.monotonic())
        return draw(panel, console, options)

    monkeypatch.setattr(TrainingPanel, "__rich_console__", counted)
    began = time.monotonic()
    with live_view(Console(file=Terminal(), width=80), 20_000) as view:
        for step in range(1, 10_001):
            view.on_step(record(step))
    seconds = time.monotonic() - began
    # at the start, at the end, and by the clock; rich may measure what it draws once more
    assert 1 <= len(drawn) <= 2 * (3 + REFRESHES_A_SECOND * seconds)


@pytest.mark.parametrize("error", [None, KeyboardInterrupt, RuntimeError, SystemExit])
def test_the_last_state_stays_however_it_ends(error):
    file, clock = Terminal(), Clock()

    def run():
        with live_view(Console(file=file, width=80), 20_000, name="run", clock=clock) as view:
            train(view, clock, steps=7)
            if error:
                raise error

    if error:
        with pytest.raises(error):
            run()
    else:
        run()
    written = file.getvalue()
    last = written[written.rindex("training run") :]
    assert "7 of 20,000" in last
    assert {None: "ended", KeyboardInterrupt: "interrupted"}.get(error, "stopped") in last
    assert "\x1b[?25h" in written[written.rindex("\x1b[?25l") :], "the cursor is shown again"


def test_remarks_stand_above_the_panel():
    file = Terminal()
    with live_view(Console(file=file, width=80), 100) as view:
        view.on_message(1, "the corpus is [small] \x1b[31m")
    written = file.getvalue()
    assert written.index("the corpus is [small] ␛[31m") < written.rindex("training")
    assert "\x1b[31m" not in written


@pytest.mark.parametrize("no_colour", [False, True])
def test_no_color_is_respected(no_colour, monkeypatch):
    if no_colour:
        monkeypatch.setenv("NO_COLOR", "1")
    file, clock = Terminal(), Clock()
    with live_view(Console(file=file, width=80), 2_000, clock=clock) as view:
        train(view, clock, steps=900)
    colours = re.findall(r"\x1b\[(?:\d+;)*[34]\d(?:;\d+)*m", file.getvalue())
    assert bool(colours) != no_colour


def quiet_run(file, steps=1_200):
    clock = Clock()
    console = Console(file=file, width=40)  # lines stay whole all the same
    with live_view(console, steps, name="zh-en", clock=clock) as view:
        train(view, clock, steps)
        view.on_message(1, "a remark, [bold]as it is[/bold]")
    return file.getvalue()


def test_where_nobody_watches_there_are_plain_lines():
    written = quiet_run(io.StringIO())
    lines = written.splitlines()
    assert "".join(lines).isprintable()
    assert lines[0] == "training zh-en: 1,200 steps"
    steps = [int(line.split()[1].replace(",", "")) for line in lines if line.startswith("step ")]
    assert steps[0] == 1
    assert steps[-1] == 1_200
    assert len(steps) == 21, "600 seconds: one line every 30, and the last"
    assert {after - before for before, after in pairwise(steps[:-1])} == {60}
    assert lines[1].startswith(
        "step 1 of 1,200, loss 3.4999 (last 3.4999), learning rate 3.00e-04, gradient norm 0.812, "
        "41,000 target tokens/s, padding 1.6%, epoch 3"
    )
    assert "1 skipped, checkpoint 1,000" in lines[-2]
    assert "30 s left" in next(line for line in lines if line.startswith("step 1,141"))
    validation = lines.index("validation at step 500: loss 3.1500, bleu 24.50, chrf 51.25 (best so far)")
    assert "validation at step 1,000: loss 3.1000, bleu 25.00, chrf 51.25" in lines
    assert lines[validation + 1].startswith(f"  source       {CHINESE}")
    assert len(lines[validation + 1]) < 250
    assert lines[validation + 2] == "  reference    Our train leaves at eight."
    assert lines[validation + 3] == "  translation  The train leaves at eight."
    assert lines[-1] == "a remark, [bold]as it is[/bold]"


@pytest.mark.parametrize(
    ("file", "environment"),
    [
        (Terminal, {"TERM": "dumb"}),
        (Terminal, {"CI": "true"}),
        (io.StringIO, {"FORCE_COLOR": "1"}),
        (io.StringIO, {"TTY_COMPATIBLE": "1"}),
    ],
)
def test_no_control_codes_where_nothing_should_move(file, environment, monkeypatch):
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    written = quiet_run(file())
    assert "\x1b" not in written
    assert "│" not in written
    assert written.count("\n") == written.count("\nstep ") + 2 * 4 + 2


def test_an_interrupted_quiet_run_tells_its_last_step():
    file, clock = io.StringIO(), Clock()

    def run():
        with live_view(Console(file=file), 100, start_step=40, clock=clock) as view:
            for step in range(41, 50):
                view.on_step(record(step))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run()
    lines = file.getvalue().splitlines()
    assert lines[0] == "training: resumed after step 40 of 100"
    assert [line.split(",")[0] for line in lines[1:]] == ["step 41 of 100", "step 49 of 100"]


@pytest.mark.parametrize("file", [io.StringIO, Terminal])
def test_samples_are_text_and_nothing_else(file):
    file = file()
    with live_view(Console(file=file, width=200), 100, name=HOSTILE) as view:
        sample = TranslationSample(HOSTILE, HOSTILE, "\x1b[2J" * 100_000)
        view.on_validation(ValidationRecord(1, {"loss": 1.0}, True, (sample,)))
        view.on_message(1, HOSTILE)
    written = re.sub(r"\x1b\[(?:[\d;]*m|\?25[lh]|1A|2K)|\r", "", file.getvalue())  # what rich itself writes
    assert "[bold red]x[/] ␛[31mred␛]0;title␇ �back� �2J � line next" in written
    assert not set(written) & set("\x1b\x07\u202e\u2066\x9b\ud800\x00\r")
    written.encode("utf-8")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("plain 你好 שלום é", "plain 你好 שלום é"),
        ("a\tb\u3000c\u00a0d\u2028e", "a b c d e"),
        ("\x00\x1b\x1f\x7f\x9b", "␀␛␟��"),
        ("می\u200cخواهم", "میخواهم"),
        ("\u202e\ufeff\udfff\ue000", "�" * 4),
    ],
)
def test_visible_text(text, expected):
    assert visible(text) == expected
    assert visible(visible(text)) == visible(text)


def test_long_text_is_cut():
    assert visible("x" * 10, longest=10) == "x" * 10
    assert visible("x" * 11, longest=10) == "x" * 9 + "…"


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0 s"), (45.4, "45 s"), (60, "1 min"), (725, "12 min 5 s"), (3_600, "1 h"), (11_220, "3 h 7 min"),
     (86_399, "23 h 59 min"), (190_800, "2 d 5 h"), (86_460, "1 d"), (-3, "0 s"), (math.nan, "unknown")],
)  # fmt: skip
def test_durations(seconds, text):
    assert duration_text(seconds) == text


@pytest.mark.parametrize("count", [0, 1, 63, 64, 65, 1_000, 10_000])
def test_a_thin_curve_is_made_of_means(count):
    curve = ThinCurve()
    values = [math.sin(i / 100) + i / count for i in range(count)]
    for value in values:
        curve.add(value)
        curve.add(math.nan)
    size = curve.values_a_point
    whole = len(values) // size * size
    assert len(curve.points) == whole // size < 64
    assert curve.points == pytest.approx([fmean(values[i : i + size]) for i in range(0, whole, size)])
    assert count < 64 or len(curve.points) >= 31


def test_spark_lines():
    assert spark_line([], 10) == ""
    assert spark_line([1.0], 0) == ""
    assert spark_line([2.0, 2.0], 10) == "▁▁"
    assert spark_line([0, 1, 2, 3, 4, 5, 6, 7], 8) == BLOCKS
    assert spark_line([0, 0, 7, 7], 2) == "▁█"
    assert len(spark_line(list(range(63)), 20)) == 20
