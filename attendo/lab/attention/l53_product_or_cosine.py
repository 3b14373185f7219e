"""L53: whether the largest dot product points at the most similar vector: among embeddings, and among keys."""

from collections.abc import Sequence

import torch
from matplotlib.figure import Figure
from torch import Tensor, nn
from torch.nn import functional as F

from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, over_seeds
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import figure, points
from attendo.lab.tools.default_model import TO, deal, default_model
from attendo.lab.tools.hand_aligned import AlignedSentence, hand_aligned
from attendo.lab.tools.measuring import interval
from attendo.model.multi_head import MultiHeadAttention
from attendo.model.transformer import Transformer
from attendo.special_tokens import SPECIAL
from attendo.text.tokenizer import Tokenizer

SEEDS = by_size(2, 6, 6)  # each has rows of the table and sentences of its own
KNOBS = (
    Knob("rows", by_size(100, 2000, 2000), 3, 15_000),
    Knob("pairs", by_size(2, 20, 40), 2, 40),
)
AGREE = 0.95  # of the cases


def agreement(queries: Tensor, keys: Tensor, *, itself: bool = True) -> Tensor:
    """Of each query [queries, d]: whether one key [keys, d] has both the largest product and the largest cosine.

    `itself`: False where queries and keys are the same vectors, and none is its own neighbour.
    """
    products, cosines = queries @ keys.T, F.normalize(queries, dim=-1) @ F.normalize(keys, dim=-1).T
    if not itself:
        for scores in (products, cosines):
            scores.fill_diagonal_(float("-inf"))
    return products.argmax(-1) == cosines.argmax(-1)


@torch.inference_mode()
def queries_and_keys(model: Transformer, tokenizer: Tokenizer, side: AlignedSentence) -> list[tuple[Tensor, Tensor]]:
    """Of every head of the encoder, [length, d_k] each."""
    x, _ = model.embed(torch.tensor([tokenizer.source_ids(side.text, TO[side.language])]), model.source_positions)
    found: list[tuple[Tensor, Tensor]] = []

    def keep(attention: nn.Module, given: tuple[Tensor, ...]) -> None:
        assert isinstance(attention, MultiHeadAttention)  # noqa: S101 - a layer of the paper's has no other
        q, k = (attention.split_heads(part(given[0]))[0] for part in (attention.query, attention.key))
        found.extend(zip(q, k, strict=True))

    attentions = [part for part in model.encoder.modules() if isinstance(part, MultiHeadAttention)]
    hooks = [attention.register_forward_pre_hook(keep) for attention in attentions]
    try:
        model.encoder(x)
    finally:
        for hook in hooks:
            hook.remove()
    return found


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    model, tokenizer = default_model()
    pairs = [pair for of_language in hand_aligned().values() for pair in of_language[: at.whole("pairs")]]
    sides = list(dict.fromkeys(side for pair in pairs for side in (pair.source, pair.target)))  # each once
    table = model.embedding.weight.detach().double()
    runs: list[Numbers] = []
    for seed, own in zip(seeds, deal(sides, seeds), strict=True):
        order = torch.randperm(len(table) - SPECIAL.unk - 1, generator=torch.Generator().manual_seed(seed))
        some = table[SPECIAL.unk + 1 + order[: at.whole("rows")]]
        lengths = some.norm(dim=1)
        looked = [agreement(q, k) for side in own for q, k in queries_and_keys(model, tokenizer, side)]
        runs.append(
            {
                "embeddings": agreement(some, some, itself=False).double().mean().item(),
                "keys": torch.cat(looked).double().mean().item(),
                "equal": agreement(*[F.normalize(some, dim=1)] * 2, itself=False).double().mean().item(),
                "shortest": lengths.min().item(),
                "longest": lengths.max().item(),
                "sentences": len(sides),
            }
        )
    return runs


def judge(runs: Runs) -> Verdict:
    """How often largest product and largest cosine fall on the same vector: of embeddings, and of a head's keys.

    More than AGREE of both: holds. Less of one, but more once all vectors have the same length: only if. Less even
    then: does not hold. Undecided where an interval straddles.
    """
    embeddings, keys, equal = (interval(over_seeds(runs, name)) for name in ("embeddings", "keys", "equal"))
    if min(embeddings.low, keys.low) > AGREE:
        return "holds"
    if min(embeddings.high, keys.high) >= AGREE:
        return "undecided"
    if equal.low > AGREE:
        return "holds only if"
    return "does not hold" if equal.high < AGREE else "undecided"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (axes,) = figure(width=8.5)
    names = {
        "embeddings": tr("embeddings", "词向量"),
        "keys": tr("a head's queries and keys", "一个头的 $q$ 与 $k$"),
        "equal": tr("embeddings made\nequally long", "词向量，长度统一之后"),
    }
    points(axes, list(names.values()), [over_seeds(runs, name) for name in names])
    axes.set(ylabel=tr("product and cosine agree", "点积与余弦选择一致的比例"), ylim=(0, 1.05))
    return picture


EXPERIMENT = Experiment("L53", measure, judge, draw, KNOBS, SEEDS)
