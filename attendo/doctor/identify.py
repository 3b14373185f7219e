"""Which language a sentence is in, by its script and by py3langid, as odds against the language it should be in."""

import math

from attendo.errors import UsageError
from attendo.text.scripts import SCRIPTS, identifier, share_in_script

CERTAIN = 20.0  # nats: what a script says
ENOUGH = 100  # characters; a language is clear by then, and identifying takes time


def odds_against(text: str, language: str) -> float:
    """Nats of evidence that a text is not in the language: positive against it, negative for it."""
    share = share_in_script(text, language)
    if share is None:
        return -CERTAIN  # no letters: 12:30 is at home everywhere
    if language in SCRIPTS:
        return -CERTAIN if share > 0 else CERTAIN
    if share < 0.5:
        return CERTAIN
    best, probability = identifier().classify(text[:ENOUGH])
    if best == language:
        return math.log(max(1 - probability, 1e-3) / max(probability, 1e-3))
    right = dict(identifier().rank(text[:ENOUGH]))[language]
    return math.log(max(probability, 1e-4) / max(right, 1e-4))


def check_known(languages: tuple[str, str]) -> None:
    for language in languages:
        if language not in identifier().labels:
            raise UsageError(f"{language!r} is no language known here: expected codes such as zh, en, de, fr, cs")
