"""Text that was read in a wrong encoding somewhere on its way, and characters that nobody can see."""

import re

from attendo.data.corpus import Pair

# UTF-8 bytes read as Latin-1 or Windows-1252: a lead byte and then the letters that continuation bytes turn into.
CONTINUATION = "\u0080-\u00bf€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ"
MOJIBAKE = re.compile(
    f"[ÃÂÄÅ][{CONTINUATION}]|â[€\u0080][{CONTINUATION}]|[äåæçèé][{CONTINUATION}]{{2}}|ð[Ÿ\u009f][{CONTINUATION}]|ï¿½"
)
# In good text these follow such letters as well: "Â «", "DÅ’", a word in quotes ending in a capital Ã.
INNOCENT = re.compile("[ÃÂÄÅäåæçèé][«»’‘“”„‚…–—›‹ ]")
CONTROL = re.compile(
    "[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028\u2029\ufeff\u200b\ufff9-\ufffb\U000e0001-\U000e007f]"
)
LOST = re.compile("[\ufffd\ud800-\udfff]")


def is_broken(pair: Pair) -> bool:
    """Either side has lost characters (U+FFFD) or shows them as others (Ã¤ for ä, â€™ for ’)."""
    return text_is_broken(pair.source) or text_is_broken(pair.target)


def text_is_broken(text: str) -> bool:
    if text.isascii():
        return False
    return LOST.search(text) is not None or any(not INNOCENT.fullmatch(m.group()) for m in MOJIBAKE.finditer(text))


def has_control_characters(pair: Pair) -> bool:
    """Control characters, invisible spaces and foreign line ends; a tab inside a side counts as a space."""
    return CONTROL.search(pair.source) is not None or CONTROL.search(pair.target) is not None


def without_control_characters(text: str) -> str:
    return " ".join(CONTROL.sub(" ", text).split())
