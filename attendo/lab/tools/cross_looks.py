"""What each word of a given translation looks at in its source, and how often that is the word it belongs to."""

from collections.abc import Sequence

import torch
from torch import Tensor

from attendo.inspection.alignment import join_tokens
from attendo.inspection.readable import Unit
from attendo.lab.tools.hand_aligned import Pair, in_pieces
from attendo.model.config import TransformerConfig
from attendo.model.record import AttentionRecord
from attendo.model.transformer import Transformer
from attendo.special_tokens import SPECIAL
from attendo.text.tokenizer import Tokenizer

ROWS = ("reads", "says")
COUNTS = ("right", "surely_right", "outside", "words", "sure_links", "chance", "diagonal")
CONTROL = Unit("", 1, control=True)  # <s>, </s> or the tag of the language


@torch.inference_mode()
def looks(model: Transformer, tokenizer: Tokenizer, pair: Pair) -> Tensor:
    """The translation is given, not searched for: [ROWS, views, target words, tag + source words + </s>].

    A view is a head (layer by layer), the mean of a layer's heads, or, last, the mean of all.
    """
    source, target = in_pieces(pair.source, tokenizer), in_pieces(pair.target, tokenizer)
    record = AttentionRecord()
    ids = [tokenizer.tag(pair.target.language), *source.ids, SPECIAL.eos]
    model(torch.tensor([ids]), torch.tensor([[SPECIAL.bos, *target.ids]]), record)
    cross = torch.cat(record.cross).double()  # [layers, heads, queries, keys]
    columns = (CONTROL, *source.units, CONTROL)
    # A decoder's row reads a token and says the one behind it: <s> is read first, </s> is said last.
    reads = join_tokens(cross, (CONTROL, *target.units), columns)[..., 1:, :]
    says = join_tokens(cross, (*target.units, CONTROL), columns)[..., :-1, :]
    both = torch.stack((reads, says))
    return torch.cat((both.flatten(1, 2), both.mean(2), both.mean((1, 2))[:, None]), dim=1)


def tally(model: Transformer, tokenizer: Tokenizer, pair: Pair) -> Tensor:
    """COUNTS over the target words that have a sure partner: [COUNTS, ROWS, views]."""
    seen = looks(model, tokenizer, pair)
    source, target = in_pieces(pair.source, tokenizer).words, in_pieces(pair.target, tokenizer).words
    sure, possible = (
        torch.tensor([[any((i, j) in links for i in s for j in t) for s in source] for t in target])
        for links in (pair.sure, pair.possible)
    )
    asked = sure.any(1).nonzero().flatten()
    looked_at = seen[:, :, asked, 1:-1].argmax(-1)  # tag and </s> are left out
    as_far_along = (2 * asked + 1) * len(source) // (2 * len(target))
    counts = {
        "right": possible[asked, looked_at].sum(-1),
        "surely_right": sure[asked, looked_at].sum(-1),
        "outside": (1 - seen[:, :, asked, 1:-1].sum(-1)).sum(-1),
        "words": torch.tensor(len(asked)),
        "sure_links": sure.sum(),
        "chance": possible[asked].double().mean(1).sum(),
        "diagonal": possible[asked, as_far_along].sum(),
    }
    return torch.stack([counts[name].double().expand(seen.shape[:2]) for name in COUNTS])


def share(tallied: Tensor, name: str) -> Tensor:
    """Of the words that were asked: [ROWS, views]."""
    return tallied[COUNTS.index(name)] / tallied[COUNTS.index("words")]


def error_rate(tallied: Tensor) -> Tensor:
    """AER = 1 - (|A ∩ S| + |A ∩ P|) / (|A| + |S|): links found A, sure S, possible P."""
    right, surely_right, _, words, sure_links, *_ = tallied
    return 1 - (surely_right + right) / (words + sure_links)


def by_direction(model: Transformer, tokenizer: Tokenizer, pairs: Sequence[Pair]) -> dict[str, Tensor]:
    """Tallies of zh_en, en_zh, de_en and en_de, and of all."""
    sums: dict[str, Tensor] = {}
    for pair in (*pairs, *(pair.turned for pair in pairs)):
        tallied = tally(model, tokenizer, pair)
        for name in (f"{pair.source.language}_{pair.target.language}", "all"):
            sums[name] = sums[name] + tallied if name in sums else tallied
    return sums


def num_heads(config: TransformerConfig) -> int:
    """Of all layers of the decoder: so many views come first."""
    return config.decoder_layers * config.num_heads


def chosen(right: Tensor, config: TransformerConfig) -> dict[str, int]:
    """The view of each way: of the layers and of the heads, the one that was right most often."""
    heads = num_heads(config)
    return {"mean": -1, "layer": heads + int(right[heads:-1].argmax()), "head": int(right[:heads].argmax())}
