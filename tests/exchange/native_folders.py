"""Marian's own folders, written from a model of `transformers` by the way back: names, [in, out], no row of padding."""

import json

import numpy as np
import torch

from tests.exchange.foreign_folders import save_marian

SETTINGS = {
    "type": "transformer", "transformer-preprocess": '""', "transformer-postprocess": "dan",
    "transformer-postprocess-emb": "d", "transformer-ffn-depth": 2, "transformer-decoder-autoreg": "self-attention",
    "transformer-tied-layers": "\n  []", "transformer-guided-alignment-layer": "last", "skip": "false",
    "transformer-train-positions": "false", "transformer-no-projection": "false",
    "version": "v1.9.0 02f4af4e 2020-07-08 18:51:10 -0800",
}  # fmt: skip


def save_native(folder, *, settings=None, save=np.savez, **options):
    """A model of `transformers` and the same in Marian's own folder; the model, and for each row of theirs its row."""
    theirs = save_marian(folder.parent / f"{folder.name}-hf", **options)
    source = folder.parent / f"{folder.name}-hf"
    pad = theirs.config.pad_token_id
    with torch.no_grad():  # Marian's decoder begins with zeros
        for stack in (theirs.model.encoder, theirs.model.decoder):
            stack.embed_tokens.weight[pad] = 0
    folder.mkdir()
    for name in ("source.spm", "target.spm"):
        (folder / name).write_bytes((source / name).read_bytes())
    own = options.get("own_vocabularies", False)
    names = ["a.src.vocab.yml", "a.trg.vocab.yml"] if own else ["a.vocab.yml"] * 2
    for name, file in zip(names, ("vocab.json", "target_vocab.json" if own else "vocab.json"), strict=True):
        tokens = list(json.loads((source / file).read_text()))
        tokens.remove("<pad>")
        (folder / name).write_text(vocabulary_yaml(tokens), encoding="utf-8")
    write_decoder(folder, names)
    kept = [row for row in range(theirs.config.decoder_vocab_size) if row != pad]
    arrays = native_arrays(theirs, own, options.get("tied", True))
    arrays["special:model.yml"] = letters(settings_of(theirs) | (settings or {}))
    save(folder / "a.npz", **arrays)
    return theirs, torch.tensor(kept)


def write_decoder(folder, names):
    lines = [
        "relative-paths: true",
        "models:",
        "  - /home/somebody/a.npz",
        "vocabs:",
        *(f"  - {name}" for name in names),
    ]
    (folder / "decoder.yml").write_text("\n".join([*lines, "beam-size: 6", "normalize: 1", ""]))


def vocabulary_yaml(tokens):
    """Some in quotation marks, some not, one of the long form."""
    lines = []
    for index, token in enumerate(tokens):
        quoted = json.dumps(token, ensure_ascii=False)
        key = token if token.strip("▁").isalpha() and index % 2 else quoted
        lines.append(f"? {quoted}\n: {index}" if index == 5 else f"{key}: {index}")
    return "\n".join(lines) + "\n"


def letters(settings):
    text = "".join(f"{key}: {value}\n" for key, value in settings.items())
    return np.frombuffer(text.encode() + b"\0", np.int8)


def settings_of(model):
    config = model.config
    return SETTINGS | {
        "dim-emb": config.d_model, "transformer-dim-ffn": config.encoder_ffn_dim,
        "transformer-heads": config.encoder_attention_heads, "enc-depth": config.encoder_layers,
        "dec-depth": config.decoder_layers, "transformer-ffn-activation": config.activation_function,
        "dim-vocabs": f"\n  - {config.vocab_size - 1}\n  - {config.decoder_vocab_size - 1}",
        "tied-embeddings-all": "true",
    }  # fmt: skip


def native_arrays(model, own, tied):
    found = {}
    keep = [row for row in range(model.config.decoder_vocab_size) if row != model.config.pad_token_id]
    keep_source = [row for row in range(model.config.vocab_size) if row != model.config.pad_token_id]

    def linear(name, end, module):
        found[f"{name}_W{end}"] = np.ascontiguousarray(module.weight.detach().numpy().T)
        found[f"{name}_b{end}"] = module.bias.detach().numpy()[None]

    def norm(name, module):
        found[f"{name}_ln_scale"], found[f"{name}_ln_bias"] = (
            parameter.detach().numpy()[None] for parameter in (module.weight, module.bias)
        )

    def attention(name, module, after):
        for end, part in zip("qkvo", (module.q_proj, module.k_proj, module.v_proj, module.out_proj), strict=True):
            linear(name, end, part)
        norm(f"{name}_Wo", after)

    for side, stack in (("encoder", model.model.encoder), ("decoder", model.model.decoder)):
        for number, layer in enumerate(stack.layers, 1):
            name = f"{side}_l{number}"
            attention(f"{name}_self", layer.self_attn, layer.self_attn_layer_norm)
            if side == "decoder":
                attention(f"{name}_context", layer.encoder_attn, layer.encoder_attn_layer_norm)
            linear(f"{name}_ffn", "1", layer.fc1)
            linear(f"{name}_ffn", "2", layer.fc2)
            norm(f"{name}_ffn_ffn", layer.final_layer_norm)
    source, target = (
        stack.embed_tokens.weight.detach().numpy() for stack in (model.model.encoder, model.model.decoder)
    )
    if own or not np.array_equal(source, target):  # `transformers` unties these, too
        found["encoder_Wemb"], found["decoder_Wemb"] = source[keep_source], target[keep]
    else:
        found["Wemb"] = target[keep]
    if not tied:
        found["decoder_ff_logit_out_W"] = np.ascontiguousarray(model.lm_head.weight.detach().numpy()[keep].T)
    found["decoder_ff_logit_out_b"] = model.final_logits_bias.numpy()[:, keep]
    return found
