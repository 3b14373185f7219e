"""The marks that end a sentence."""

from recipes.default.made_up_kinds.said import Said, each

STOPS = "。！？.!?"


def without_stop(said: Said) -> Said:
    return each(lambda text: text.rstrip(STOPS), said)
