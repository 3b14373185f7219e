"""Compare a model with a witness: copy the weights over, then demand equal outputs and equal gradients."""

import torch


def copy_weights(ours, theirs, names):
    """names: our parameter name -> theirs. Every parameter of ours must be named, and none twice."""
    own = dict(ours.named_parameters())
    assert set(names) == set(own), set(names) ^ set(own)
    with torch.no_grad():
        for our_name, their_name in names.items():
            own[our_name].copy_(theirs.get_parameter(their_name))


def random_gains(model):
    """Norm gains of 1 and biases of 0 would hide a mistake; give every parameter a value that can be seen."""
    with torch.no_grad():
        for parameter in model.parameters():
            if parameter.dim() == 1:
                parameter.uniform_(0.5, 1.5)


def assert_same_gradients(ours, theirs, names, tolerance):
    for our_name, their_name in names.items():
        our_gradient = ours.get_parameter(our_name).grad
        their_gradient = theirs.get_parameter(their_name).grad
        torch.testing.assert_close(our_gradient, their_gradient, atol=tolerance, rtol=tolerance, msg=our_name)
        assert their_gradient.abs().max() > 0, f"{our_name}: a gradient of zero proves nothing"


def attention_names(ours, theirs, query, key, value, output, *, bias=True):
    """The eight tensors of one multi-head attention, under both sets of names."""
    pairs = {"query": query, "key": key, "value": value, "output": output}
    kinds = ("weight", "bias") if bias else ("weight",)
    return {f"{ours}.{name}.{kind}": f"{theirs}.{other}.{kind}" for name, other in pairs.items() for kind in kinds}
