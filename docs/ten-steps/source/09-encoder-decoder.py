# %% decoder_layer (kept)
def decoder_layer(x, memory, may_attend, config, weights):
    """[target, d_model], [source, d_model] -> [target, d_model]"""
    h = config.num_heads

    def look_back(x):
        return multi_head(x, x, part(weights, "self_attention"), h, may_attend)

    def look_at_source(x):
        return multi_head(x, memory, part(weights, "cross_attention"), h)

    def think(x):
        return feed_forward(x, part(weights, "feed_forward"))

    x = add_and_norm(x, look_back, config, part(weights, "around_self_attention.norm"))
    x = add_and_norm(x, look_at_source, config, part(weights, "around_cross_attention.norm"))
    return add_and_norm(x, think, config, part(weights, "around_feed_forward.norm"))


def decoder(x, memory, may_attend, config, weights):
    """[target, d_model], [source, d_model] -> [target, d_model]"""
    for layer in range(config.decoder_layers):
        x = decoder_layer(x, memory, may_attend, config, part(weights, f"layers.{layer}"))
    return last_norm(x, config, part(weights, "norm"))


# %% output_logits (kept)
def output_logits(x, weights):
    """[target, d_model] -> [target, vocab]"""
    return x @ weights["embedding.weight"].T


def log_softmax(x):
    """log softmax(x)_i = x_i - log Σ_j exp(x_j)"""
    shifted = x - x.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


# %% encode (kept)
def with_positions(ids, weights):
    x = embed(ids, weights)
    return x + sinusoidal_encoding(np.arange(len(ids)), x.shape[-1])


def encode(source, config, weights):
    """[source] -> memory [source, d_model]"""
    return encoder(with_positions(source, weights), config, part(weights, "encoder"))


def decode(target_in, memory, config, weights):
    """[target], [source, d_model] -> log_probs [target, vocab]"""
    x = with_positions(target_in, weights)
    x = decoder(x, memory, causal(len(target_in)), config, part(weights, "decoder"))
    return log_softmax(output_logits(x, weights))


# %% check
import torch

from attendo.model.config import TransformerConfig
from attendo.model.transformer import Transformer

torch.manual_seed(1)
source, target_in = np.array([5, 9, 12, 7, 2]), np.array([1, 8, 6, 15])
for norm_order in ("post", "pre"):
    config = TransformerConfig(vocab_size=20, d_model=32, d_ff=128, num_heads=4, norm_order=norm_order)
    model = Transformer(config).eval()
    weights = {name: parameter.detach().numpy() for name, parameter in model.named_parameters()}
    ours = decode(target_in, encode(source, config, weights), config, weights)
    logits = model(torch.tensor(source)[None], torch.tensor(target_in)[None])[0]
    np.testing.assert_allclose(ours, torch.log_softmax(logits, dim=-1).detach(), rtol=1e-5, atol=1e-5)
    print(f"✓ {norm_order}: encode, decode = attendo.model.transformer.Transformer", ours.shape)

# %% pair
target = ["I", "love", "machine", "learning", "</s>"]
target_in, target_out = ["<s>", *target[:-1]], target
for step in range(1, len(target) + 1):
    print(" ".join(target_in[:step]), "->", target_out[step - 1])

# %% picture
from attendo.glass.look import look

found = look("我爱机器学习", to="en", beam=1)
source_pieces = found.source_pieces
target_pieces = ["<s>", *(piece.strip() for piece in found.target_pieces[:-1])]
may_attend = causal(len(target_pieces))
looks = (
    ("encoder.5.self_attention", 1, source_pieces, source_pieces, None),
    ("decoder.1.self_attention", 1, target_pieces, target_pieces, may_attend),
    ("decoder.1.cross_attention", 0, target_pieces, source_pieces, None),
)
figure, axes = plt.subplots(1, 3, figsize=(13, 4.6))
for axis, (name, head, rows, columns, mask) in zip(axes, looks, strict=True):
    weights = found.trace[f"{name}.weights"][head]
    heat_map(axis, weights if mask is None else np.where(mask, weights, np.nan), rows, columns, name)
    axis.tick_params(axis="x", rotation=45)
figure.tight_layout()
plt.show()

# %% answer
config = TransformerConfig(vocab_size=20, d_model=32, d_ff=128, num_heads=4)
weights = {name: parameter.detach().numpy() for name, parameter in Transformer(config).named_parameters()}
target_in = np.array([1, 8, 6, 15])
memory = encode(source, config, weights)
at_once = decode(target_in, memory, config, weights)
for step in range(1, 5):
    one_by_one = decode(target_in[:step], memory, config, weights)
    print(step, np.allclose(one_by_one[-1], at_once[step - 1], atol=1e-5))
