# %% add_and_norm (kept)
def add_and_norm(x, sublayer, config, weights):
    """post: Norm(x + Sublayer(x)); pre: x + Sublayer(Norm(x))"""
    if config.norm_order == "post":
        return layer_norm(x + sublayer(x), weights)
    return x + sublayer(layer_norm(x, weights))


# %% encoder_layer (kept)
def encoder_layer(x, config, weights):
    """[source, d_model] -> [source, d_model]"""
    h = config.num_heads

    def look_around(x):
        return multi_head(x, x, part(weights, "self_attention"), h)

    def think(x):
        return feed_forward(x, part(weights, "feed_forward"))

    x = add_and_norm(x, look_around, config, part(weights, "around_self_attention.norm"))
    return add_and_norm(x, think, config, part(weights, "around_feed_forward.norm"))


# %% encoder (kept)
def last_norm(x, config, weights):
    return x if config.norm_order == "post" else layer_norm(x, weights)


def encoder(x, config, weights):
    """[source, d_model] -> memory [source, d_model]"""
    for layer in range(config.encoder_layers):
        x = encoder_layer(x, config, part(weights, f"layers.{layer}"))
    return last_norm(x, config, part(weights, "norm"))


# %% check
import torch

from attendo.model.config import TransformerConfig
from attendo.model.encoder import Encoder


def weights_of(module):
    return {name: parameter.detach().numpy() for name, parameter in module.named_parameters()}


sizes = {"vocab_size": 20, "d_model": 32, "d_ff": 128, "num_heads": 4}
x = torch.randn(6, 32, generator=torch.manual_seed(1))
for norm_order in ("post", "pre"):
    config = TransformerConfig(**sizes, norm_order=norm_order)
    theirs = Encoder(config, config.encoder_layers).eval()
    ours = encoder(x.numpy(), config, weights_of(theirs))
    np.testing.assert_allclose(ours, theirs(x[None])[0].detach(), rtol=1e-5, atol=1e-5)
    print(f"✓ {norm_order}: encoder = attendo.model.encoder.Encoder")


# %% without_add
def alike(x):
    """mean cosine of all pairs of rows"""
    rows = x / np.sqrt((x**2).sum(axis=-1, keepdims=True))
    return (rows @ rows.T)[np.triu_indices(len(x), 1)].mean()


config = TransformerConfig(**sizes, encoder_layers=12)
layers = Encoder(config, 12).eval().layers
plain = {"gain": np.ones(32), "bias": np.zeros(32)}
with_add = without_add = x.numpy()
curves = [(alike(with_add), alike(without_add))]
for layer in layers:
    weights = weights_of(layer)
    with_add = encoder_layer(with_add, config, weights)
    z = multi_head(without_add, without_add, part(weights, "self_attention"), h=4)
    z = layer_norm(feed_forward(layer_norm(z, plain), part(weights, "feed_forward")), plain)
    without_add = z
    curves.append((alike(with_add), alike(without_add)))

# %% picture
figure, axis = plt.subplots(figsize=(6, 3.2))
for curve, colour, label in zip(
    np.transpose(curves), (BLUE, ORANGE), ("Norm(x + Sublayer(x))", "Norm(Sublayer(x))"), strict=True
):
    axis.plot(curve, "o-", color=colour, label=label)
axis.set(xlabel="layer", ylabel="cos", ylim=(-0.1, 1.05))
axis.legend(frameon=False)
figure.tight_layout()
plt.show()

# %% answer
from attendo.model.encoder import EncoderLayer

layer = EncoderLayer(TransformerConfig(vocab_size=37_000))
counts = {name: parameter.numel() for name, parameter in layer.named_parameters()}
total = sum(counts.values())
for name in ("self_attention", "feed_forward", "around"):
    count = sum(count for key, count in counts.items() if key.startswith(name))
    print(f"{name:15} {count:9,}   {count / total:.1%}")
