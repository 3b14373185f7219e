"""A sentence in pieces: only what stands between its stand-ins is translated, so that none of them can be lost.

    Click {1} here {2} to log in.  ->  "Click"  "here"  "to log in."  ->  Klicken {1} hier {2} um sich anzumelden.

Worse than a sentence that was translated whole, and better than one that breaks a page: a last resort.
"""

import re
from collections.abc import Callable, Sequence

from attendo.decoding.hypothesis import Hypothesis
from attendo.engines.engine import Request
from attendo.text.normalize import edges, one_line
from attendo.text.scripts import ENDS, writes_han
from attendo.translation.answer import Piece, Sentence
from attendo.translation.prepare import Languages
from attendo.translation.stand_ins import STAND_IN

CUT = re.compile(r"(\{ ?\d{1,3} ?\})")  # a stand-in, which stays among the pieces
SIGNS_BEFORE = re.compile(r"[\W_]*")  # a model that begins with a comma says odd things
SPACED = {"，": ", ", "、": ", ", "。": ". ", "：": ": ", "；": "; ", "！": "! ", "？": "? ", "（": " (", "）": ") "}


def cut_at_stand_ins(
    text: str, languages: Languages, request_for: Callable[[str, Languages], Request]
) -> list[tuple[str, Request | None]]:
    """Texts that joined are the sentence, and what the model is asked of each; nothing of one without words."""
    return [
        (piece, request_for(parts(piece)[1], languages) if has_words(piece) else None)
        for piece in CUT.split(text)
        if piece
    ]


def parts(piece: str) -> tuple[str, str, str]:
    """ ", and here "  ->  ", "  "and here"  " \""""
    signs = SIGNS_BEFORE.match(piece)
    before = signs.group() if signs else ""
    _, inner, after = edges(piece[len(before) :])
    return before, inner, after


def has_words(piece: str) -> bool:
    return not STAND_IN.fullmatch(piece) and any(map(str.isalpha, piece))


def put_pieces_together(
    answers: Sequence[tuple[str, Sentence | None]], sentence: str, languages: Languages
) -> Sentence:
    """One answer from those to the pieces, in their order; a stop that the model put after a piece goes."""
    pieces: list[Piece] = []
    hypotheses: list[Hypothesis] = []
    problem, engine = None, ""
    spaced = writes_han(languages.source) and not writes_han(languages.to)
    for text, answer in answers:
        if answer is None or not answer.hypothesis:
            pieces.append(Piece(text, "".join(SPACED.get(sign, sign) for sign in text) if spaced else text))
            continue
        before, inner, after = parts(text)
        said = answer.text if ENDS.search(inner[-1:]) else answer.text.rstrip(".。")
        around = before, after
        if spaced:
            around = "".join(SPACED.get(sign, sign) for sign in before) or " ", after or " "
        pieces += (Piece(before, around[0]), Piece(inner, said, answer), Piece(after, around[1]))
        hypotheses.append(answer.hypothesis)
        problem, engine = problem or answer.problem, answer.engine
    ids = tuple(token for hypothesis in hypotheses for token in hypothesis.ids)
    log_prob = sum(hypothesis.log_prob for hypothesis in hypotheses)
    whole = Hypothesis(ids, log_prob, log_prob / max(len(ids), 1), ())
    text = one_line("".join(piece.text for piece in pieces))
    return Sentence(sentence, (text,), (whole,), engine, problem=problem, pieces=tuple(pieces))
