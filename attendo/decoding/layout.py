"""The same numbers in another order in memory, for decoding on a CPU."""

from torch import nn


def lay_out_for_decoding(model: nn.Module) -> None:
    """Store the output projection W [vocab, d_model] column by column, in place; its shape and values stay.

    A decoding step multiplies the few rows x of its hypotheses with the largest matrix of the model, x Wᵀ. Matrix
    libraries are made for many rows; with few they are up to four times as fast when Wᵀ lies in memory row by row.
    The embedding keeps its own order, so a tied W is from now on a copy: for a model that is used, not trained.
    """
    output = getattr(model, "output", None)
    if isinstance(output, nn.Linear) and output.weight.device.type == "cpu":
        by_columns = output.weight.detach().t().contiguous().t()
        output.weight = nn.Parameter(by_columns, requires_grad=False)
