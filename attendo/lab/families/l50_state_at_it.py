"""L50: the state at "it" in two sentences that differ only behind it: LSTM, LSTM in both directions, Transformer."""

from collections.abc import Callable, Sequence

import torch
from matplotlib.figure import Figure
from torch import Tensor, nn

from attendo.lab.claim import Experiment, Numbers, Runs, Tr, Verdict, number, over_seeds, row, rows_to_fill
from attendo.lab.knobs import Knob, Settings, by_size
from attendo.lab.tools.chart import COLOURS, MARKERS, figure
from attendo.lab.tools.default_model import default_model
from attendo.lab.tools.it_sentences import DIRECTIONS, ItPair, it_pairs
from attendo.lab.tools.readers import RecurrentReader
from attendo.lab.tools.toy_training import EncoderAlone, toy_config
from attendo.model.embeddings import TokenEmbedding
from attendo.model.recurrence import BidirectionalLayer

SEEDS = by_size(2, 8, 16)
KNOBS = (Knob("width", by_size(16, 128, 128), 8, 1024), Knob("layers", by_size(1, 2, 2), 1, 6))
KINDS = ("lstm", "both_ways", "transformer")
DIFFERENT = 1e-3  # relative: more than rounding could do in single precision

Encode = Callable[[Tensor], Tensor]  # ids [1, length] -> [length, width]


class BothWays(nn.Module):
    """Layers of LSTM that read from left to right and from right to left."""

    def __init__(self, vocab_size: int, width: int, layers: int) -> None:
        super().__init__()
        self.embedding = TokenEmbedding(vocab_size, width)
        nn.init.normal_(self.embedding.weight)
        self.layers = nn.ModuleList(BidirectionalLayer("lstm", width, width) for _ in range(layers))

    def forward(self, tokens: Tensor) -> Tensor:
        x = self.embedding(tokens)
        for layer in self.layers:
            x = layer(x, torch.tensor([tokens.shape[1]]))
        return x


def build(kind: str, vocab_size: int, width: int, layers: int, seed: int) -> Encode:
    """Encoders with random weights: what a state cannot depend on, it cannot depend on after training either."""
    torch.manual_seed(seed)
    if kind == "lstm":
        reader = RecurrentReader("lstm", vocab_size, width, layers)
        return lambda tokens: reader.read(tokens)[0][0]
    if kind == "both_ways":
        both = BothWays(vocab_size, width, layers)
        return lambda tokens: both(tokens)[0]
    encoder = EncoderAlone(toy_config(vocab_size, width, 4 * width, 4, encoder_layers=layers)).eval()
    return lambda tokens: encoder.encode(tokens)[0]


def as_words(pair: ItPair) -> list[list[str]]:
    """Both sentences, the full stop as a word of its own."""
    return [pair.frame.replace("_", adjective).replace(".", " .").split() for adjective in pair.adjectives]


def apart(one: Tensor, other: Tensor) -> Tensor:
    """Of each position: how far the two states are from each other, relative to their size. [length]"""
    return (one - other).norm(dim=-1) / ((one.norm(dim=-1) + other.norm(dim=-1)) / 2)


@torch.no_grad()
def differences(encode: Encode, ids: dict[str, int], pair: ItPair) -> Tensor:
    first, second = (encode(torch.tensor([[ids[word] for word in words]])) for words in as_words(pair))
    return apart(first, second)


@torch.no_grad()
def of_the_default_model(pairs: Sequence[ItPair]) -> float:
    """The trained translator's, at the piece "it": the least difference of all pairs."""
    model, tokenizer = default_model()
    (_, target), found = DIRECTIONS[0], []
    for pair in pairs:
        ids = [tokenizer.source_ids(pair.frame.replace("_", adjective), target) for adjective in pair.adjectives]
        pieces = [[tokenizer.decode([piece]).strip() for piece in sentence] for sentence in ids]
        states = [
            model.encode(torch.tensor([sentence]))[0, texts.index("it")]
            for sentence, texts in zip(ids, pieces, strict=True)
        ]
        found.append(float(apart(states[0][None], states[1][None])))
    return min(found)


def measure(seeds: Sequence[int], at: Settings) -> list[Numbers]:
    pairs = it_pairs()[:2] if at.size == "small" else it_pairs()
    words = sorted({word for pair in pairs for sentence in as_words(pair) for word in sentence})
    ids = {word: 4 + index for index, word in enumerate(words)}
    place = as_words(pairs[0])[0].index("it")
    runs = rows_to_fill(seeds, pairs=float(len(pairs)), place=float(place), trained_it=of_the_default_model(pairs))
    for run, seed in zip(runs, seeds, strict=True):
        for kind in KINDS:
            encode = build(kind, 4 + len(words), at.whole("width"), at.whole("layers"), seed)
            each = [differences(encode, ids, pair) for pair in pairs]
            here = [float(one[as_words(pair)[0].index("it")]) for one, pair in zip(each, pairs, strict=True)]
            run |= {f"{kind}_least": min(here), f"{kind}_most": max(here)}
            run |= {f"{kind}_end": min(float(one[-1]) for one in each), f"{kind}_by_word": each[0].tolist()}
    return list(runs)


def judge(runs: Runs) -> Verdict:
    """Reading from left to right, both sentences have the same state at "it", to the last bit; in both directions, and
    in a Transformer, they differ by more than DIFFERENT: the claim holds only if the encoder reads in one direction.
    The LSTM differs, too: does not hold. Nobody's state differs but the Transformer's: holds. Else undecided."""
    if max(over_seeds(runs, "lstm_most")) > DIFFERENT:
        return "does not hold"
    if max(over_seeds(runs, "lstm_most")) > 0 or min(over_seeds(runs, "transformer_least")) <= DIFFERENT:
        return "undecided"
    if min(over_seeds(runs, "both_ways_least")) > DIFFERENT:
        return "holds only if"
    return "holds" if max(over_seeds(runs, "both_ways_most")) == 0 else "undecided"


def draw(runs: Runs, tr: Tr) -> Figure:
    picture, (axes,) = figure(width=10.0, height=4.6)
    labels = {
        "lstm": tr("LSTM, left to right", "LSTM（从左到右）"),
        "both_ways": tr("LSTM, both directions", "双向 LSTM"),
        "transformer": "Transformer",
    }
    first, second = as_words(it_pairs()[0])
    words = [one if one == other else f"{one} /\n{other}" for one, other in zip(first, second, strict=True)]
    for index, (kind, label) in enumerate(labels.items()):
        curves = torch.tensor([row(run, f"{kind}_by_word") for run in runs])
        style = f"{MARKERS[index]}-"
        axes.plot(range(len(words)), curves.mean(0).tolist(), style, color=COLOURS[index], label=label, lw=2, ms=8)
    place = number(runs[0], "place")
    axes.axvspan(place - 0.4, place + 0.4, color="grey", alpha=0.15, lw=0)
    axes.set_xticks(range(len(words)), words)
    axes.set(ylabel=tr("difference of the two states", "两句的状态之差"), ylim=(-0.05, None))
    axes.legend(loc="upper left")
    return picture


EXPERIMENT = Experiment("L50", measure, judge, draw, KNOBS, SEEDS)
