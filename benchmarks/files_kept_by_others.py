"""Files through argos-translate-files, which LibreTranslate calls: run by a Python that has it, not by ours.

    python files_kept_by_others.py OUT FILE…

Its models and the libraries that run them are not needed: the translation is the exchange of letters that files_kept.py
asks of both, or with SAME in the environment the text as it is.
"""

import os
import shutil
import sys
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock


def without_models() -> None:
    """What only a real model needs, as names without anything behind them."""
    for name in ("ctranslate2", "stanza", "minisbd", "minisbd.models", "spacy", "sentencepiece", "sacremoses"):
        sys.modules[name] = MagicMock()


def exchanged(text: str) -> str:
    def neighbour(sign: str) -> str:
        code = ord(sign)
        if sign.isascii() and sign.isalpha():
            base = 65 if code < 97 else 97
            return chr(((code - base) ^ 1) + base)
        return chr(code ^ 1) if 0x4E00 <= code < 0x9FA0 else sign

    return text if os.environ.get("SAME") else "".join(map(neighbour, text))


def main(out: Path, files: list[Path]) -> None:
    without_models()
    import argostranslatefiles.argostranslatefiles as theirs  # type: ignore[import-not-found]
    from argostranslate.translate import Hypothesis, ITranslation, Language  # type: ignore[import-not-found]

    class Exchange(ITranslation):  # type: ignore[misc]
        from_lang, to_lang = Language("en", "English"), Language("xx", "Exchanged")

        def hypotheses(self, input_text: str, num_hypotheses: int = 1) -> list[Any]:
            return [Hypothesis(exchanged(input_text), 0.0)]

        def translate(self, input_text: str) -> str:
            return exchanged(input_text)

    for file in files:
        copy = out / "sources" / file.parent.name / file.name
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(file, copy)
        target = out / file.parent.name / file.name
        target.parent.mkdir(parents=True, exist_ok=True)
        try:
            made = theirs.translate_file(Exchange(), str(copy))
            if made:
                shutil.move(made, target)
        except Exception as error:
            print(f"{file.name}: {type(error).__name__}: {error}", file=sys.stderr)


if __name__ == "__main__":
    main(Path(sys.argv[1]), [Path(name) for name in sys.argv[2:]])
