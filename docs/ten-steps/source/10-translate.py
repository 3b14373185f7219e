# %% open
from attendo.glass.reading import open_glass

glass = open_glass()
tokenizer, config, weights = glass.tokenizer, glass.model.config, glass.model.weights.arrays
print(config.encoder_layers, config.decoder_layers, config.d_model, config.d_ff, config.num_heads, config.norm_order)
print(len(weights), f"{sum(array.size for array in weights.values()):,}")

# %% read
source = np.array(tokenizer.source_ids("我爱机器学习", to="en"))
print(source)
print(tokenizer.names(source))

# %% encode
memory = encode(source, config, weights)
print(memory.shape)

# %% first_piece
log_probs = decode(np.array([1]), memory, config, weights)[-1]
for piece in np.argsort(-log_probs)[:5]:
    print(f"{np.exp(log_probs[piece]):.4f}   {tokenizer.names([piece])[0]!r}")


# %% greedy (kept)
BOS, EOS = 1, 2


def greedy(memory, config, weights, max_length):
    """memory [source, d_model] -> ids, the last is </s>"""
    target = []
    while len(target) < max_length and EOS not in target:
        log_probs = decode(np.array([BOS, *target]), memory, config, weights)
        target.append(int(log_probs[-1].argmax()))
    return target


# %% translate
target = greedy(memory, config, weights, max_length=20)
print(tokenizer.names(target))
print(tokenizer.decode(target))

# %% check
import torch

from attendo.glass.look import look
from attendo.model_folder.weights import load_model

found = look("我爱机器学习", to="en", model=glass, beam=1)
assert tuple(target) == found.best.ids
assert tokenizer.decode(target) == found.translation
target_in = np.array([BOS, *target[:-1]])
ours = decode(target_in, memory, config, weights)
np.testing.assert_allclose(memory, found.trace["memory"], rtol=1e-5, atol=1e-4)
np.testing.assert_allclose(np.exp(ours), np.exp(found.trace["log_probs"]), rtol=1e-5, atol=1e-5)
print("✓ = attendo.glass")

model = load_model(glass.bundle)
with torch.inference_mode():
    logits = model(torch.tensor(source)[None], torch.tensor(target_in)[None])[0]
np.testing.assert_allclose(np.exp(ours), torch.softmax(logits, dim=-1), rtol=1e-5, atol=1e-5)
print("✓ = attendo.model.transformer.Transformer")

# %% picture
rows = [piece.strip() for piece in tokenizer.names(target)]
columns = tokenizer.names(source)
figure, (left, right) = plt.subplots(1, 2, figsize=(10, 4.4), width_ratios=(5, 3))
weights_of_heads = found.trace["decoder.1.cross_attention.weights"]
heat_map(left, weights_of_heads.mean(axis=0), rows, columns, "decoder.1.cross_attention")
chances = np.exp(ours[np.arange(len(target)), target])
right.barh(range(len(rows)), chances, color=BLUE)
right.set_yticks(range(len(rows)), rows)
right.invert_yaxis()
right.set(xlim=(0, 1), title="p")
figure.tight_layout()
plt.show()


# %% answer_other
def translate(text, to):
    memory = encode(np.array(tokenizer.source_ids(text, to=to)), config, weights)
    return tokenizer.decode(greedy(memory, config, weights, max_length=40))


print(translate("机器学习很有趣。", "en"))
print(translate("I love machine learning.", "zh"))
print(translate("I love machine learning.", "de"))

# %% answer_positions
from attendo.glass.hands import Hands

kept = sinusoidal_encoding


def sinusoidal_encoding(positions, d_model):
    return np.zeros((len(positions), d_model), dtype=np.float32)


without = translate("我爱机器学习", "en")
sinusoidal_encoding = kept
print(without)
assert without == look("我爱机器学习", to="en", model=glass, beam=1, hands=Hands(positions="off")).translation
print('✓ = Hands(positions="off")')
