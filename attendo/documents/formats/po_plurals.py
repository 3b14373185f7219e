"""How many plural forms a language has, as the header of a gettext catalogue says it.

The rules of the languages that a model is likely to know; of another language, those of the header stay.
"""

import re

from attendo.text.scripts import base_language

ONE = "nplurals=1; plural=0;"
TWO = "nplurals=2; plural=(n != 1);"
FRENCH = "nplurals=2; plural=(n > 1);"
EAST_SLAVIC = "nplurals=3; plural=(n%10==1 && n%100!=11 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);"
POLISH = "nplurals=3; plural=(n==1 ? 0 : n%10>=2 && n%10<=4 && (n%100<10 || n%100>=20) ? 1 : 2);"
CZECH = "nplurals=3; plural=(n==1) ? 0 : (n>=2 && n<=4) ? 1 : 2;"
OF_LANGUAGES = {
    ONE: "zh ja ko vi th id ms",
    TWO: "en de nl sv da no nb nn fi et it es pt el bg hu tr he hi ca",
    FRENCH: "fr",
    EAST_SLAVIC: "ru uk be sr hr bs",
    POLISH: "pl",
    CZECH: "cs sk",
}
PLURAL_FORMS = {language: forms for forms, languages in OF_LANGUAGES.items() for language in languages.split()}
COUNT = re.compile(r"nplurals\s*=\s*(\d)")


def plural_forms(to: str, header: str) -> str:
    """What Plural-Forms should say; `header` is what it says. Empty where nobody knows."""
    wanted = PLURAL_FORMS.get(base_language(to), "")
    return header if COUNT.search(header) and (not wanted or count_of(header) == count_of(wanted)) else wanted


def count_of(forms: str) -> int:
    found = COUNT.search(forms)
    return max(1, int(found[1])) if found else 2
