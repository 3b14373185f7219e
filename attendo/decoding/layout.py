"""The same numbers in another order in memory, for decoding on a CPU."""

from torch import nn

from attendo.decoding.flat_layer import flat
from attendo.decoding.packed import packed
from attendo.decoding.position_table import tabled
from attendo.model.decoder import Decoder
from attendo.model.positions import Positions


def lay_out_for_decoding(model: nn.Module) -> None:
    """In place, for a model on a CPU that is used, and neither trained nor moved. Shapes and values stay.

    Each matrix W [outputs, inputs] with no fewer outputs than inputs is stored column by column. A decoding step
    multiplies the few rows x of its hypotheses with every matrix of the decoder, x Wᵀ. Matrix libraries are made for
    many rows; with few they are up to twice as fast when Wᵀ lies in memory row by row. A tied output projection is
    from now on a copy of the embedding. Large matrices are packed besides, positions are looked up, and the decoder's
    layers become flat.
    """
    if any(parameter.device.type != "cpu" for parameter in model.parameters()):
        return
    for parent in list(model.modules()):
        for name, part in parent.named_children():
            if isinstance(part, nn.Linear):
                if part.out_features >= part.in_features:
                    by_columns = part.weight.detach().t().contiguous().t()
                    part.weight = nn.Parameter(by_columns, requires_grad=False)
                setattr(parent, name, packed(part))
            elif isinstance(part, Positions):
                setattr(parent, name, tabled(part))
    for module in [each for each in model.modules() if isinstance(each, Decoder)]:
        module.layers = nn.ModuleList(map(flat, module.layers))
