"""How the numbers start.

The Transformer follows tensor2tensor, the paper's own code (`uniform_unit_scaling` with gain 1 is Xavier uniform):
every matrix keeps the variance of what flows through it, forward and backward, biases start at 0 and gains at 1. Its
embeddings are normal with variance 1/d_model: times √d_model they have variance 1 like the positions they meet, and
as tied output projection they give logits of variance about 1, so the first loss is close to log(vocabulary).
fairseq adds a factor 1/√2 to W_Q, W_K, W_V, a trace of their having been one matrix; we keep the original. Learned
positions start like embeddings, as they do there. The w of an additive head is a matrix from d_k numbers to one.

Llama and BERT draw everything from N(0, 0.02²) (their Hugging Face defaults). The LSTM uses Xavier for its inputs,
orthogonal recurrent matrices, so that a state neither grows nor shrinks from step to step (Saxe et al. 2014), and a
forget gate that starts open (Jozefowicz et al. 2015).

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


def initialize_lstm(model: nn.Module) -> None:
    if has_numbers(model):
        initialize_linear_(model)
        initialize_tables_(model)
        for module in model.modules():
            if isinstance(module, nn.LSTM):
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
    for table in tables:
        nn.init.normal_(table, std=table.shape[1] ** -0.5)


def initialize_gates_(lstm: nn.LSTM) -> None:
    """PyTorch stacks the gates as input, forget, cell, output, and has two biases that are added."""
    for gate in range(4):
        nn.init.xavier_uniform_(lstm.get_parameter("weight_ih_l0").chunk(4)[gate])
        nn.init.orthogonal_(lstm.get_parameter("weight_hh_l0").chunk(4)[gate])
    nn.init.zeros_(lstm.get_parameter("bias_ih_l0"))
    nn.init.zeros_(lstm.get_parameter("bias_hh_l0"))
    nn.init.ones_(lstm.get_parameter("bias_ih_l0").chunk(4)[1])
