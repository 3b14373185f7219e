"""Whether a short text is something that people read: attributes of a page, values of a file of settings.

    >>> [is_prose(text) for text in ("Save changes", "Name", "保存", "img/logo.png", "#ff8800", "2024-05-01", "en-US")]
    [True, True, True, False, False, False, False]

The rule, stated once: a text is kept if it has no letters, or if it is one word without spaces that looks like a thing
of programs: an address, a path, a file, a colour, a date, a number with its unit, a name with dots, underscores, digits
or capitals inside it (user_name, camelCase, SHA256), the code of a locale. Anything else is prose. In doubt it is
prose: a reader sees what was translated by mistake sooner than what was forgotten.
"""

import re

from attendo.text.normalize import WORD

TOKEN = re.compile(
    r"""
      [a-z][\w+.-]*:\S+                                     # https://…, mailto:…, urn:…
    | www\.\S+ | [\w.+-]+@[\w-]+\.[\w.-]+                   # an address
    | (?:\.{0,2}|~|[\w.-]+)/[\w./@%~+*-]*                   # a path: /usr, ./a, img/logo.png
    | [a-z]:\\\S* | \\{1,2}\w\S*                            # a path of Windows
    | [\w-]+\.(?:[a-z][a-z0-9]{1,4}|[\w-]+(?:\.[\w-]+)+)    # logo.png, com.example.app
    | \#[0-9a-f]{3,8} | 0x[0-9a-f]+                         # a colour, a number
    | [0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}           # a uuid
    | [0-9a-f]{16,}                                         # a hash
    | [+-]?[\d.,:/+TZ-]*\d[\d.,:/+TZ-]*(?:px|r?em|%|pt|vh|vw|ms|s|m|min|h|d|k|kb|mb|gb|[tz])?   # a date, a size
    | [\w$]*_[\w$]* | [a-z][\w$-]*\d[\w$-]*                 # user_name, utf8, h1
    | (?:%|\$|\$\{|\{)[\w.%-]*\}?                           # %s, {name}, ${HOME}
    | <[^<>]*>
    """,
    re.IGNORECASE | re.VERBOSE,
)
CASED = re.compile(
    r"""
      [a-z]{2,3}[-_](?:[A-Z]{2}|[A-Z][a-z]{3}|\d{3})(?:[-_][A-Z]{2})? | [a-z]{2}-[a-z]{2}   # en-US, zh_Hans_CN
    | [a-z][a-z0-9]*[A-Z]\w* | [A-Z]+\d[\w-]* | [a-z]+(?:-[a-z0-9]+){2,}                    # camelCase, SHA256
    """,
    re.VERBOSE,
)
LONGEST_TOKEN = 2_000  # characters: a longer word is no name of anything


def is_prose(text: str) -> bool:
    said = text.strip()
    if not WORD.search(said):
        return False
    if len(said) > LONGEST_TOKEN:
        return any(sign.isspace() for sign in said[:LONGEST_TOKEN])
    return not (TOKEN.fullmatch(said) or CASED.fullmatch(said))
