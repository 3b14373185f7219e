"""How the numbers start.

The Transformer follows tensor2tensor, the paper's own code (`uniform_unit_scaling` with gain 1 is Xavier uniform):
every matrix keeps the variance of what flows through it, forward and backward, biases start at 0 and gains at 1. Its
embeddings are normal with variance 1/d_model: times √d_model they have variance 1 like the positions they meet, and
as tied output projection they give logits of variance about 1, so the first loss is close to log(vocabulary).
fairseq adds a factor 1/√2 to W_Q, W_K, W_V, a trace of their having been one matrix; we keep the original.

Llama and BERT draw everything from N(0, 0.02²) (their Hugging Face defaults). The LSTM uses Xavier for its inputs,
orthogonal recurrent matrices, so that a state neither grows nor shrinks from step to step (Saxe et al. 2014), and a
forget gate that starts open (Jozefowicz et al. 2015).
"""

from torch import Tensor, nn


def initialize_like_the_paper(model: nn.Module) -> None:
    initialize_linear_(model)
    initialize_embedding_(model)


def initialize_like_llama(model: nn.Module, std: float = 0.02) -> None:
    for name, parameter in model.named_parameters():
        if parameter.dim() == 2:
            nn.init.normal_(parameter, std=std)
        elif name.endswith("bias"):
            nn.init.zeros_(parameter)


# The same rule; two names, because a reader of either model looks for its own.
initialize_like_bert = initialize_like_llama


def initialize_lstm(model: nn.Module) -> None:
    initialize_linear_(model)
    initialize_embedding_(model)
    for lstm in (module for module in model.modules() if isinstance(module, nn.LSTM)):
        for name, parameter in lstm.named_parameters():
            if name.startswith("weight"):
                for gate in parameter.chunk(4):
                    start_gate(gate, recurrent=name.startswith("weight_hh"))
            else:
                nn.init.zeros_(parameter)
        # PyTorch orders the gates input, forget, cell, output, and has two biases that are added.
        nn.init.ones_(lstm.bias_ih_l0.chunk(4)[1])


def start_gate(gate: Tensor, *, recurrent: bool) -> None:
    if recurrent and gate.device.type != "meta":
        nn.init.orthogonal_(gate)
    else:
        nn.init.xavier_uniform_(gate)


def initialize_linear_(model: nn.Module) -> None:
    for linear in (module for module in model.modules() if isinstance(module, nn.Linear)):
        nn.init.xavier_uniform_(linear.weight)
        if linear.bias is not None:
            nn.init.zeros_(linear.bias)


def initialize_embedding_(model: nn.Module) -> None:
    """Last, because a tied output has already been given another start."""
    for table in (model.get_submodule("output"), model.get_submodule("embedding")):
        weight = table.get_parameter("weight")
        nn.init.normal_(weight, std=weight.shape[1] ** -0.5)
