"""Documents: what letters are about and what is attached to them, with their articles in the four German cases."""

from recipes.default.made_up_kinds.trilingual import Phrase
from recipes.default.made_up_kinds.words import rows

DOCUMENTS = tuple(rows("documents"))

# By gender: nominative, accusative, dative, genitive; der, Ihr and unser.
CASES = ("", "_acc", "_dat", "_gen")
THE = {"m": ("der", "den", "dem", "des"), "f": ("die", "die", "der", "der"), "n": ("das", "das", "dem", "des")}
YOUR = {
    "m": ("Ihr", "Ihren", "Ihrem", "Ihres"),
    "f": ("Ihre", "Ihre", "Ihrer", "Ihrer"),
    "n": ("Ihr", "Ihr", "Ihrem", "Ihres"),
}
OUR = {
    "m": ("unser", "unseren", "unserem", "unseres"),
    "f": ("unsere", "unsere", "unserer", "unserer"),
    "n": ("unser", "unser", "unserem", "unseres"),
}
IT = {"m": ("er", "ihn", "ihm", "seiner"), "f": ("sie", "sie", "ihr", "ihrer"), "n": ("es", "es", "ihm", "seiner")}
SIGNED = {"m": "den unterschriebenen", "f": "die unterschriebene", "n": "das unterschriebene"}


def forms(row: dict[str, str]) -> dict[str, Phrase]:
    """forms(CONTRACT)["the_document_gen"] -> 合同, the contract, des Vertrags."""
    zh, en, gender = row["zh"], row["en"], row["gender"]
    made = {
        "document": Phrase(zh, en.capitalize(), row["de"]),  # as in a subject line
        "signed_document_acc": Phrase(f"签字的{zh}", f"the signed {en}", f"{SIGNED[gender]} {row['de']}"),
    }
    for index, case in enumerate(CASES):
        de = row["de_gen"] if case == "_gen" else row["de"]
        made |= {
            f"the_document{case}": Phrase(zh, f"the {en}", f"{THE[gender][index]} {de}"),
            f"your_document{case}": Phrase(f"您的{zh}", f"your {en}", f"{YOUR[gender][index]} {de}"),
            f"our_document{case}": Phrase(f"我们的{zh}", f"our {en}", f"{OUR[gender][index]} {de}"),
            f"it{case}": Phrase("它", "it", IT[gender][index]),
        }
    return made
