"""The marks that end a sentence."""

STOPS = "。！？.!?"
