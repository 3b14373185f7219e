"""The one thing done to text before it is cut: Unicode NFC.

Not NFKC, which would turn ， into a comma and ① into 1: a translator must be able to say what it was told.
"""

import re
import unicodedata

LONE_SURROGATE = re.compile("[\ud800-\udfff]")
REPLACEMENT = "\ufffd"


def normalize(text: str) -> str:
    """NFC, so that é is one character however it was typed; half a surrogate pair, which is none, becomes U+FFFD."""
    if text.isascii():
        return text
    whole = text if text.isprintable() else LONE_SURROGATE.sub(REPLACEMENT, text)
    return unicodedata.normalize("NFC", whole)
