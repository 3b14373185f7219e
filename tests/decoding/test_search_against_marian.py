"""Greedy and beam search against Hugging Face's `generate`: same weights, same score, same stop, float64."""

import pytest
import torch

from attendo.decoding.beam import beam_search
from attendo.decoding.options import SearchOptions
from attendo.model.config import TransformerConfig
from attendo.model.transformer import Transformer
from tests.decoding.families import padded, sentences
from tests.model.test_transformer_against_marian import (
    D_FF,
    D_MODEL,
    DECODER_LAYERS,
    ENCODER_LAYERS,
    HEADS,
    VOCAB,
    marian,
    names,
)
from tests.reference.same import copy_weights

MAX_LENGTH = 12
EOS_BIAS = 3.0


@pytest.fixture(scope="module", params=["random", "trained"])
def both(request):
    torch.manual_seed(1)
    theirs = marian("relu")
    if request.param == "random":
        with torch.no_grad():  # as Marian starts, every distribution is nearly flat, and </s> no likelier than others
            for name, parameter in theirs.named_parameters():
                if "position" not in name and not name.endswith("norm.weight"):
                    parameter.normal_(std=0.35)
            theirs.final_logits_bias[0, 2] = EOS_BIAS
    else:
        learn_to_count(theirs)
    ours = Transformer(
        TransformerConfig(
            vocab_size=VOCAB, d_model=D_MODEL, d_ff=D_FF, num_heads=HEADS, encoder_layers=ENCODER_LAYERS,
            decoder_layers=DECODER_LAYERS, dropout=0.0,
        )
    ).double().eval()  # fmt: skip
    copy_weights(ours, theirs, names())
    ours.output.bias = torch.nn.Parameter(theirs.final_logits_bias[0].double())
    return ours, theirs


def learn_to_count(theirs):
    """From some number of the source on, as long as the source: it learns what follows what soon, and stays unsure of
    where to begin and to end, so that a search has something to find."""
    theirs.float().requires_grad_(True)
    optimizer = torch.optim.Adam([p for n, p in theirs.named_parameters() if "position" not in n], lr=5e-3)
    for step in range(300):
        rows = sentences(32, seed=step, vocab=VOCAB)
        source = padded(rows)
        target = padded([[*((row[0] - 3 + n) % (VOCAB - 3) + 3 for n in range(len(row) - 1)), 2] for row in rows])
        target_in = torch.nn.functional.pad(target[:, :-1], (1, 0), value=1)
        logits = theirs(input_ids=source, attention_mask=source != 0, decoder_input_ids=target_in).logits
        loss = torch.nn.functional.cross_entropy(logits.flatten(0, 1), target.flatten(), ignore_index=0)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    assert loss < 2.0, "it has learnt something"
    theirs.double().requires_grad_(False)


def generate(theirs, source, **changes):
    generated = theirs.generate(
        source, attention_mask=(source != 0).long(), do_sample=False, max_new_tokens=MAX_LENGTH, suppress_tokens=[0, 1],
        forced_eos_token_id=None, return_dict_in_generate=True, output_scores=True, **changes,
    )  # fmt: skip
    rows = [tuple(row[1:]) for row in generated.sequences.tolist()]  # behind <s>
    return [row[: row.index(2) + 1] if 2 in row else row for row in rows], generated


def test_greedy(both):
    ours, theirs = both
    source = padded(sentences(40, vocab=VOCAB))
    expected, _ = generate(theirs, source, num_beams=1)
    found = beam_search(ours, source, MAX_LENGTH, SearchOptions(beam_size=1))
    assert [each.ids for (each,) in found] == expected
    assert len({each.ids for (each,) in found}) > 5
    assert len({len(each.ids) for (each,) in found}) > 2


@pytest.mark.parametrize("alpha", [-0.5, 0.0, 0.6, 1.0, 2.0])
@pytest.mark.parametrize(("stop", "early_stopping"), [("exact", "never"), ("early", True)])
def test_beam_of_four(both, alpha, stop, early_stopping):
    ours, theirs = both
    source = padded(sentences(24, vocab=VOCAB))
    expected, generated = generate(
        theirs, source, num_beams=4, num_return_sequences=4, length_penalty=alpha, early_stopping=early_stopping
    )
    options = SearchOptions(beam_size=4, n_best=4, length_penalty=alpha, stop=stop)
    found = [each for answers in beam_search(ours, source, MAX_LENGTH, options) for each in answers]
    assert [each.ids for each in found] == expected
    torch.testing.assert_close(
        torch.tensor([each.score for each in found]), generated.sequences_scores, atol=1e-4, rtol=1e-5
    )
    assert len({len(each.ids) for each in found}) > 1
