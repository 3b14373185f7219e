"""Formulas for a terminal: the LaTeX of our pages, $\\sqrt{d_k}$, as plain text, √d_k."""

import re

FORMULA = re.compile(r"\$\$(.+?)\$\$|\$(.+?)\$", re.DOTALL)
SIGNS = {
    "cdot": "·", "times": "×", "dots": "…", "approx": "≈", "neq": "≠", "le": "≤", "infty": "∞", "partial": "∂",
    "sum": "Σ", "prod": "Π", "cap": "∩", "oplus": "⊕", "mid": "|", "bmod": " mod ", "lVert": "‖", "rVert": "‖",
    "alpha": "α", "delta": "δ", "varepsilon": "ε", "mu": "μ", "sigma": "σ", "omega": "ω", "top": "ᵀ",
}  # fmt: skip
SUPERSCRIPTS = str.maketrans("0123456789T", "⁰¹²³⁴⁵⁶⁷⁸⁹ᵀ")
GROUP = r"\{((?:[^{}]|\{[^{}]*\})*)\}"  # {…}, which may hold another
WORDS = re.compile(r"\\(?:mathrm|text|mathcal|overrightarrow|overleftarrow)" + GROUP)
FRACTION = re.compile(rf"\\t?frac\s*(?:{GROUP}|(\d))\s*(?:{GROUP}|(\w))")
ROOT = re.compile(rf"\\sqrt\s*(?:{GROUP}|(\w))")
MARKED = re.compile(rf"\\(hat|bar)\s*(?:{GROUP}|(\w))")
MARKS = {"hat": "\u0302", "bar": "\u0304"}  # upon the letter before
MATRIX = re.compile(r"\\begin\{\w+\}(.+?)\\end\{\w+\}", re.DOTALL)
RAISED = re.compile(rf"\^(?:{GROUP}|\\(top)|(\w))")
LOWERED = re.compile(rf"_{GROUP}")
SPACE = re.compile(r"\\(?:qquad|quad|[,;! ])|\\(?:left|right)(?![a-z])")
COMMAND = re.compile(r"\\([a-zA-Z]+)( ?)(?=(.?))")


def without_latex(text: str) -> str:
    r"""
    >>> without_latex(r"weights $\mathrm{softmax}(QK^\top/\sqrt{d_k})$ of width $d_{model}/h$, $e^{-3} \approx 0.05$")
    'weights softmax(QKᵀ/√d_k) of width d_model/h, e^(-3) ≈ 0.05'
    """
    return FORMULA.sub(lambda found: plain(found[1] or found[2]), text)


def plain(formula: str) -> str:
    text = formula
    for space in (r"\qquad", r"\quad"):
        text = text.replace(space, "   ")
    text = MATRIX.sub(lambda found: "(" + found[1].replace("&", ", ").replace(r"\\", "; ") + ")", text)
    text = SPACE.sub(lambda found: "" if found[0] in (r"\!", r"\left", r"\right") else " ", text)
    while (found := WORDS.search(text)) is not None:
        text = text[: found.start()] + found[1] + text[found.end() :]
    text = LOWERED.sub(lambda found: "_" + in_brackets(found[1]), text)
    text = RAISED.sub(raised, text)
    text = MARKED.sub(lambda found: (found[2] or found[3]) + MARKS[found[1]], text)
    text = ROOT.sub(lambda found: "√" + in_brackets(found[1] or found[2]), text)
    text = FRACTION.sub(lambda found: f"{in_brackets(found[1] or found[2])}/{in_brackets(found[3] or found[4])}", text)
    text = COMMAND.sub(sign, text)
    return re.sub(r"(?<! ) {2}(?! )", " ", text).strip()


def sign(found: re.Match[str]) -> str:
    """\\cdot, or the name of a function: \\sin x"""
    name, space, after = found.groups()
    return SIGNS[name] + space if name in SIGNS else name if after in "(_" else f"{name} "


def in_brackets(text: str) -> str:
    """Where it is more than one word."""
    return text if re.fullmatch(r"\w+|\|\w\|", text) else f"({text.strip()})"


def raised(found: re.Match[str]) -> str:
    text = found[1] or ("T" if found[2] else found[3])
    if re.fullmatch("[0-9T]+", text):
        return text.translate(SUPERSCRIPTS)
    return f"^({text})" if "_" in text else f"^{in_brackets(text)}"
