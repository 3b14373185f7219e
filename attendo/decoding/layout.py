"""The same numbers in another order in memory, for decoding on a CPU."""

from torch import nn

from attendo.decoding.flat_layer import flat
from attendo.decoding.packed import packed
from attendo.model.decoder import Decoder


def lay_out_for_decoding(model: nn.Module) -> None:
    """In place, for a model on a CPU that is used, and neither trained nor moved. Shapes and values stay.

    Each matrix W [outputs, inputs] with no fewer outputs than inputs is stored column by column. A decoding step
    multiplies the few rows x of its hypotheses with every matrix of the decoder, x Wᵀ. Matrix libraries are made for
    many rows; with few they are up to twice as fast when Wᵀ lies in memory row by row. A tied output projection is
    from now on a copy of the embedding. Large matrices are packed besides, and the decoder's layers become flat.
    """
    if any(parameter.device.type != "cpu" for parameter in model.parameters()):
        return
    for parent in list(model.modules()):
        for name, linear in parent.named_children():
            if isinstance(linear, nn.Linear):
                if linear.out_features >= linear.in_features:
                    by_columns = linear.weight.detach().t().contiguous().t()
                    linear.weight = nn.Parameter(by_columns, requires_grad=False)
                setattr(parent, name, packed(linear))
    for module in [each for each in model.modules() if isinstance(each, Decoder)]:
        module.layers = nn.ModuleList(map(flat, module.layers))
