"""How the numbers start.

The Transformer follows tensor2tensor, the paper's own code (`uniform_unit_scaling` with gain 1 is Xavier uniform):
every matrix keeps the variance of what flows through it, forward and backward, biases start at 0 and gains at 1. Its
embeddings are normal with variance 1/d_model: times √d_model they have variance 1 like the positions they meet, and
as tied output projection they give logits of variance about 1, so the first loss is close to log(vocabulary).
fairseq adds a factor 1/√2 to W_Q, W_K, W_V, a trace of their having been one matrix; we keep the original. Learned
positions start like embeddings, as they do there. The w of an additive head is a matrix from d_k numbers to one.

Llama and BERT draw everything from N(0, 0.02²) (their Hugging Face defaults). Recurrent layers use Xavier for their
inputs, orthogonal recurrent matrices, so that a state neither grows nor shrinks from step to step (Saxe et al. 2014;
a plain RNN has nothing else to keep it), and in an LSTM a forget gate that starts open (Jozefowicz et al. 2015).

On torch's meta device a tensor has a shape and no numbers, so there is nothing to start.
"""

from torch import nn

from attendo.model.compatibility import AdditiveMultiHeadAttention
from attendo.model.positions import LearnedPositions


def initialize_like_the_paper(model: nn.Module) -> None:
    if has_numbers(model):
        initialize_linear_(model)
        initialize_tables_(model)


def initialize_normal(model: nn.Module, std: float = 0.02) -> None:
    if has_numbers(model):
        for name, parameter in model.named_parameters():
            if parameter.dim() == 2:
                nn.init.normal_(parameter, std=std)
            elif name.endswith("bias"):
                nn.init.zeros_(parameter)


def initialize_recurrent(model: nn.Module) -> None:
    if has_numbers(model):
        initialize_linear_(model)
        initialize_tables_(model)
        for module in model.modules():
            if isinstance(module, nn.RNN | nn.GRU | nn.LSTM):
                initialize_gates_(module)


def has_numbers(model: nn.Module) -> bool:
    return not any(parameter.is_meta for parameter in model.parameters())


def initialize_linear_(model: nn.Module) -> None:
    for module in model.modules():
        if isinstance(module, nn.Linear):
            nn.init.xavier_uniform_(module.weight)
            if module.bias is not None:
                nn.init.zeros_(module.bias)
        elif isinstance(module, AdditiveMultiHeadAttention):
            for w in module.score.detach():
                nn.init.xavier_uniform_(w[None])


def initialize_tables_(model: nn.Module) -> None:
    """Embedding, output and learned positions; after the rest, because a tied output has just been given another."""
    tables = [module.weight for module in model.modules() if isinstance(module, LearnedPositions)]
    tables += [model.get_parameter("output.weight"), model.get_parameter("embedding.weight")]
    if getattr(model, "source_embedding", None) is not None:
        tables.append(model.get_parameter("source_embedding.weight"))
    for table in tables:
        nn.init.normal_(table, std=table.shape[1] ** -0.5)


def initialize_gates_(layer: nn.RNN | nn.GRU | nn.LSTM) -> None:
    """PyTorch stacks a cell's matrices (an LSTM's as input, forget, cell, output) and has two biases that are added."""
    stacked = len(layer.get_parameter("weight_hh_l0")) // layer.hidden_size  # 1, 3 or 4
    for part in range(stacked):
        nn.init.xavier_uniform_(layer.get_parameter("weight_ih_l0").chunk(stacked)[part])
        nn.init.orthogonal_(layer.get_parameter("weight_hh_l0").chunk(stacked)[part])
    nn.init.zeros_(layer.get_parameter("bias_ih_l0"))
    nn.init.zeros_(layer.get_parameter("bias_hh_l0"))
    if isinstance(layer, nn.LSTM):
        nn.init.ones_(layer.get_parameter("bias_ih_l0").chunk(4)[1])
