"""Marian models as `transformers` saves them, imported: the same logits, the same searches, the same ids."""

import random

import pytest
import torch
from transformers import MarianTokenizer

from attendo.decoding.beam import beam_search
from attendo.decoding.options import SearchOptions
from attendo.exchange.foreign_model import NEVER
from attendo.exchange.import_model import import_model, read_foreign
from attendo.model_folder.bundle import read_bundle
from attendo.model_folder.weights import load_model
from attendo.special_tokens import SPECIAL, pad_rows
from tests.exchange.foreign_folders import save_marian, sentences

RULES = {"ﬁ": "fi", "①": "1", "\t": " ", "e\u0301": "é", "\u3000": " ", "日本": "Japan"}
MODELS = {
    "tied, swish": {},
    "relu": {"activation_function": "relu"},
    "an output of its own": {"tied": False},
    "a source of its own": {"own_vocabularies": True},
    "three tables, other sizes": {"own_vocabularies": True, "tied": False, "encoder_layers": 3, "decoder_layers": 1},
    "tags, rules": {"tags": ["fra", "por_BR"], "pieces": {"rules": RULES}},
    "6+6 layers": {"encoder_layers": 6, "decoder_layers": 6},
    "6+2 layers": {"encoder_layers": 6},
}


@pytest.fixture(scope="module", params=MODELS)
def both(request, tmp_path_factory):
    """Theirs in float64, ours in float64, our folder, and for each id of ours theirs, of the source and the target."""
    folder = tmp_path_factory.mktemp("marian")
    theirs = save_marian(folder / "en-fr", **MODELS[request.param]).double()
    for stack in (theirs.model.encoder, theirs.model.decoder):  # they keep the sines of float32
        stack.embed_positions.weight.data.copy_(by_halves(128, 32))
    import_model(folder / "en-fr", folder / "ours")
    foreign, _ = read_foreign(folder / "en-fr", ())
    bundle = read_bundle(folder / "ours")
    rows = [torch.from_numpy(foreign.rows(side)) for side in (foreign.source, foreign.target)]
    return theirs, load_model(bundle).double(), bundle, rows


def by_halves(count, width):
    angles = torch.arange(count, dtype=torch.float64)[:, None] / 10_000 ** (torch.arange(0, width, 2).double() / width)
    return torch.cat((angles.sin(), angles.cos()), dim=1)


def sources(bundle, count):
    tokenizer = bundle.tokenizer()
    return [tokenizer.source_ids(text, bundle.directions[0][1]) for text in sentences("en", count, seed=5)]


def test_the_same_logits(both):
    theirs, ours, bundle, (source_rows, target_rows) = both
    source = torch.tensor(pad_rows(sources(bundle, 12)))
    words = bundle.tokenizer().encode_all_targets(sentences("fr", 12, seed=6))
    target_in = torch.tensor([[SPECIAL.bos, *ids[:4]] for ids in words])
    pad, start = theirs.config.pad_token_id, theirs.config.decoder_start_token_id
    their_target = target_rows[target_in]
    their_target[:, 0] = start
    with torch.no_grad():
        logits = ours(source, target_in)
        expected = theirs(
            input_ids=torch.where(source == SPECIAL.pad, pad, source_rows[source]),
            attention_mask=(source != SPECIAL.pad).long(),
            decoder_input_ids=their_target,
        ).logits
    known = target_rows >= 0
    assert sorted(target_rows[known].tolist()) == [row for row in range(expected.shape[-1]) if row != pad]
    torch.testing.assert_close(logits[..., known], expected[..., target_rows[known]], atol=1e-10, rtol=1e-10)
    assert (logits[..., ~known] < NEVER / 2).all()


def search_equal(both, count):
    theirs, ours, bundle, (source_rows, target_rows) = both
    pad = theirs.config.pad_token_id
    rows = sources(bundle, count)
    source = torch.tensor(pad_rows(rows))
    options = SearchOptions(beam_size=4, stop="early")
    found = beam_search(ours, source, 24, options)
    with torch.no_grad():
        expected = theirs.generate(
            input_ids=torch.where(source == SPECIAL.pad, pad, source_rows[source]),
            attention_mask=(source != SPECIAL.pad).long(), num_beams=4, max_new_tokens=24, do_sample=False,
            early_stopping=True, bad_words_ids=[[pad]], renormalize_logits=True, length_penalty=1.0,
        )  # fmt: skip
    for hypotheses, row in zip(found, expected.tolist(), strict=True):
        answer = [token for token in row[1:] if token != pad]
        assert [int(target_rows[token]) for token in hypotheses[0].ids] == answer


def test_the_same_search(both):
    search_equal(both, 20)


@pytest.mark.slow
def test_the_same_search_500(both):
    search_equal(both, 500)


def test_the_same_ids(both, tmp_path):
    """Of the sentences that the pieces come from, and of what they never met."""
    _, _, bundle, (source_rows, target_rows) = both
    folder = bundle.folder.parent / "en-fr"
    marian, tokenizer = MarianTokenizer.from_pretrained(folder), bundle.tokenizer()
    texts = [
        *sentences("en", 50),
        *sentences("fr", 50),
        "  ﬁve   Cats\t①",
        "日本 🐈 cat",
        "e\u0301te\u0301",
        "",
        " ",
        "▁a",
    ]
    for text in texts:
        ids = marian(text)["input_ids"][:-1]
        assert source_rows[torch.tensor(tokenizer.encode(text), dtype=torch.long)].tolist() == ids, text
        ids = marian(text_target=text)["input_ids"][:-1]
        assert target_rows[torch.tensor(tokenizer.encode_target(text), dtype=torch.long)].tolist() == ids, text


BLOCKS = [
    (0x20, 0x7E), (0xA0, 0x24F), (0x300, 0x36F), (0x600, 0x6FF), (0x900, 0x97F), (0xE00, 0xE7F), (0x1100, 0x11FF),
    (0x2000, 0x206F), (0x2190, 0x2BFF), (0x3000, 0x30FF), (0x4E00, 0x9FFF), (0xAC00, 0xD7A3), (0xF900, 0xFAFF),
    (0xFB00, 0xFB4F), (0xFE00, 0xFE0F), (0xFF00, 0xFFEF), (0x1D400, 0x1D7FF), (0x1F300, 0x1FAFF), (0x20000, 0x2A6DF),
    (0x00, 0x1F), (0x2581, 0x2581),
]  # fmt: skip


def odd_line(rng):
    """Runs of a few characters of one block, spaces between."""
    runs = []
    for _ in range(rng.randint(1, 12)):
        first, last = rng.choice(BLOCKS)
        runs.append("".join(chr(rng.randint(first, last)) for _ in range(rng.randint(1, 4))))
        runs.append(" " * rng.choice([0, 0, 1, 3]))
    return "".join(runs)


@pytest.mark.slow
def test_the_same_ids_of_5000_lines(tmp_path):
    """The table that nearly all models have, NFKC with white space: emoji, rare Han, jamo, marks, controls."""
    save_marian(tmp_path / "en-fr", pieces={"normalization_rule_name": "nmt_nfkc"})
    import_model(tmp_path / "en-fr", tmp_path / "ours")
    foreign, _ = read_foreign(tmp_path / "en-fr", ())
    marian, tokenizer = MarianTokenizer.from_pretrained(tmp_path / "en-fr"), read_bundle(tmp_path / "ours").tokenizer()
    rng, rows = random.Random(1), foreign.rows(foreign.source)
    lines = [*(odd_line(rng) for _ in range(4_000)), *sentences("en", 500), *sentences("fr", 500)]
    for text in lines:
        theirs = marian.convert_tokens_to_ids(marian.current_spm.encode(text, out_type=str))
        assert rows[tokenizer.encode(text)].tolist() == theirs, text
