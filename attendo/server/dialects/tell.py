"""Which dialect the body of `POST /translate` is in: three servers use that path, and each has keys of its own.

    q                       LibreTranslate
    text and target_lang    DeepLX; DeepL where it is a list of texts
    text and to             MTranServer

Which of them refuses a body that is in none is for the server to say.
"""

from typing import Any

from attendo.server.dialects import deepl, deeplx, libretranslate, mtran
from attendo.server.dialects.reading import an_object
from attendo.server.job import Dialect, RequestError


def dialect_of(body: Any) -> Dialect:
    body = an_object(body)
    if "q" in body:
        return libretranslate
    if "text" in body and "target_lang" in body:
        return deepl if isinstance(body["text"], list) else deeplx
    if "text" in body and "to" in body:
        return mtran
    raise RequestError(
        "bad-request",
        "the body is in no known dialect: expected q and target (LibreTranslate), text and target_lang (DeepLX), "
        "or text and to (MTranServer)",
    )
