"""The two engines say the same with the same float32 weights: real sentences, the model that came with the package."""

import os
from pathlib import Path

import pytest

import attendo
from attendo.data.corpus import CorpusFile
from attendo.data.lines import ignore
from attendo.engines.ct2.engine import load_ct2_engine
from attendo.model_folder.bundle import model_folder, read_bundle
from attendo.translation.options import TranslationOptions

pytestmark = pytest.mark.slow
SENTENCES = 500


@pytest.mark.skipif(not os.environ.get("ATTENDO_DATA"), reason="needs the corpora of $ATTENDO_DATA")
@pytest.mark.parametrize("beam", [1, 4])
@pytest.mark.parametrize(("source", "target"), [("zh", "en"), ("en", "de")])
def test_the_same_text_from_both_engines(source, target, beam):
    file = Path(os.environ["ATTENDO_DATA"]) / ("zh-en" if "zh" in (source, target) else "de-en") / "tatoeba.dev.tsv"
    pairs = list(CorpusFile(file).pairs(ignore))[:SENTENCES]
    texts = [pair.target if source == "en" else pair.source for pair in pairs]
    ours = attendo.load(engine="torch", device="cpu", threads=2)
    engine = load_ct2_engine(read_bundle(model_folder(None)), threads=2, quantization="float32", full_vocabulary=True)
    fast = attendo.Translator(ours.bundle, ours.tokenizer, engine)
    options = TranslationOptions(beam=beam)
    first, second = (one.translate(texts, to=target, from_=source, options=options) for one in (ours, fast))
    others = [(one.text, other.text) for one, other in zip(first, second, strict=True) if one.text != other.text]
    print(f"{source} → {target}, beam {beam}: {len(others)} of {len(texts)} differ", *others[:5], sep="\n")
    assert len(texts) == SENTENCES
    assert others == []
