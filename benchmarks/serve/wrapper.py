"""The rival that people write themselves: FastAPI around CTranslate2, a call for each request and no batching between.

    python -m benchmarks.serve.wrapper PORT BEAM INTER_THREADS INTRA_THREADS

It does what such a wrapper does: tokenize, translate_batch, detokenize; no sentences, no retries, no checks.
"""

import sys
from typing import Any

import ctranslate2
import uvicorn
from fastapi import FastAPI

from attendo.engines.ct2.conversion import Converted
from attendo.model_folder.bundle import model_folder, read_bundle

PORT, BEAM, INTER, INTRA = map(int, sys.argv[1:5])
bundle = read_bundle(model_folder(None))
tokenizer = bundle.tokenizer()
with Converted(bundle, "int8").folder() as folder:
    translator = ctranslate2.Translator(
        str(folder), device="cpu", compute_type="int8", inter_threads=INTER, intra_threads=INTRA
    )
app = FastAPI()


@app.post("/translate")
def translate(body: dict[str, Any]) -> dict[str, list[str]]:
    texts = [list(map(str, tokenizer.source_ids(text, body["target"]))) for text in body["q"]]
    results = translator.translate_batch(texts, beam_size=BEAM, max_decoding_length=128)
    return {"translatedText": [tokenizer.decode(map(int, result.hypotheses[0])).strip() for result in results]}


@app.get("/ready")
def ready() -> dict[str, str]:
    return {"status": "ok"}


if __name__ == "__main__":
    uvicorn.run(app, port=PORT, log_level="warning")
