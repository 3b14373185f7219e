"""An encoder of the layers it is handed: how a claim leaves a part of a layer out."""

from collections.abc import Callable

import torch
from torch import Tensor, nn

from attendo.model.add_and_norm import build_add_and_norm
from attendo.model.config import TransformerConfig
from attendo.model.embeddings import build_embedding, build_output
from attendo.model.initialization import initialize_like_the_paper
from attendo.model.parts import STANDARD
from attendo.model.positions import build_positions


class AttentionLayer(nn.Module):
    """An encoder layer without feed-forward: self-attention inside Add & Norm, and that is all."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.self_attention = STANDARD.self_attention(config)
        self.around_self_attention = build_add_and_norm(config, STANDARD)

    def forward(self, x: Tensor) -> Tensor:
        return self.around_self_attention(x, lambda x: self.self_attention(x, x))


class LayerStack(nn.Module):
    """Called like every model: logits for the target at each position of the source, by what the layers make of it."""

    def __init__(self, config: TransformerConfig, layer: Callable[[TransformerConfig], nn.Module]) -> None:
        super().__init__()
        self.embedding = build_embedding(config)
        self.positions = build_positions(config)
        self.layers = nn.ModuleList(layer(config) for _ in range(config.encoder_layers))
        self.output = build_output(self.embedding, tied=config.tied_output)
        initialize_like_the_paper(self)

    def forward(self, source: Tensor, target_in: Tensor) -> Tensor:
        length = source.shape[1]
        x = self.positions(self.embedding(source), torch.arange(length, device=source.device)[None], length)
        for layer in self.layers:
            x = layer(x)
        return self.output(x)
