"""All that is known of a translation, for our own API: words with log-probabilities, alignment, remarks, ledger."""

from collections.abc import Sequence
from typing import Any

from attendo.server.translate_job import Translated
from attendo.translation.answer import Translation, alignment_table


def rich_answers(found: Sequence[Translated]) -> dict[str, Any]:
    """What `POST /api/translate` answers."""
    return {"translations": list(map(rich_answer, found))}


def rich_answer(one: Translated) -> dict[str, Any]:
    answer, whole = one.answer, one.whole
    table: dict[str, Any] = {
        "text": answer.text,
        "from": answer.source,
        "to": answer.target,
        "detected": {"language": answer.source, "confidence": round(answer.confidence, 3)} if answer.detected else None,
        "alternatives": list(answer.alternatives),
        "model": one.model,
        "ledger": whole.ledger.to_dict(),
        "clean": whole.ledger.is_clean,
    }
    if isinstance(whole, Translation):
        words = one.words or ()
        table |= {
            "score": whole.score,
            "doubtful": whole.doubtful,
            "engine": whole.engine,
            "seconds": round(whole.seconds, 4),
            "remarks": list(whole.remarks),
            "words": [
                {"text": answer.text[start:end], "start": start, "end": end, "logp": round(logp, 3)} for start, end, logp in words
            ],
            "alignment": None if whole.alignment is None else list(map(alignment_table, whole.alignment)),
        }
    return table
