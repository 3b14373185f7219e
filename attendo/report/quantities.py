"""How numbers of a run are written, the same on the screen and in the report."""

import math

PERCENTS = ("bleu", "chrf")  # 0 to 100; two places are as many as anybody quotes
UNITS = {"d": 86_400, "h": 3_600, "min": 60, "s": 1}


def score_text(name: str, value: float | None) -> str:
    if value is None or not math.isfinite(value):
        return "no number"
    return f"{value:.2f}" if name in PERCENTS else f"{value:.4f}"


def scores_text(scores: dict[str, float]) -> str:
    return ", ".join(f"{name} {score_text(name, value)}" for name, value in scores.items())


def duration_text(seconds: float) -> str:
    """45 s; 12 min 5 s; 3 h 7 min; 2 d 5 h: two units, as people say it."""
    if not math.isfinite(seconds):
        return "unknown"
    rest = round(max(seconds, 0.0))
    counts = {}
    for unit, length in UNITS.items():
        counts[unit], rest = divmod(rest, length)
    first = next((place for place, count in enumerate(counts.values()) if count), len(UNITS) - 1)
    spoken = [f"{count:,} {unit}" for unit, count in list(counts.items())[first : first + 2] if count]
    return " ".join(spoken) or "0 s"
