"""What torch computes for the sentence of the page: by hooks on its parts, and the equations where it keeps nothing."""

import math

import torch

from attendo.model_folder.bundle import model_folder, read_bundle
from attendo.model_folder.weights import load_model
from tests.glass.test_forward import tensors_of

NAMES = {"score": "scores", "masked": "scaled", "weight": "weights", "head": "heads"}
SIDES = {"scaledEmbedding": "scaled", "position": "positions"}


def torch_numbers(source, target_in):
    """Tensors by the names that the page has for them."""
    model = load_model(read_bundle(model_folder(None)))
    found = {name: tensor.detach() for name, tensor in tensors_of(model, source, target_in).items()}
    with torch.inference_mode():
        for side, ids, positions in (
            ("source", source, model.source_positions),
            ("target", target_in, model.target_positions),
        ):
            embedding = model.embedding.weight[torch.tensor([ids])]
            scaled = embedding * math.sqrt(model.config.d_model)
            x, _ = model.embed(torch.tensor([ids]), positions)
            found |= {f"{side}.{name}": one[0] for name, one in
                      {"embedding": embedding, "scaled": scaled, "x": x, "positions": x - scaled}.items()}  # fmt: skip
    for name in [name for name in found if name.endswith("attention.Q")]:
        part = name.removesuffix(".Q")
        scores = found[name] @ found[f"{part}.K"].transpose(1, 2)
        found[f"{part}.scores"], found[f"{part}.scaled"] = scores, scores / math.sqrt(model.config.head_dim)
        found[f"{part}.heads"] = found[f"{part}.weights"] @ found[f"{part}.V"]
    found["probabilities"] = found["logits"].softmax(-1)
    return found


def torch_number(found, cell):
    """The number of a cell, as the page names it: [kind, part or name, indices …]; and how large its tensor is."""
    kind, name, *index = cell
    if kind in ("logit", "probability"):
        tensor, index = found["logits" if kind == "logit" else "probabilities"], [name, *index]
    elif kind in ("embedding", "x", *SIDES):
        tensor = found[f"{name}.{SIDES.get(kind, kind)}"]
    elif kind in ("product", "norm"):
        tensor, index = found[name], [one for one in index if one is not None]
    else:
        tensor = found[f"{name}.{NAMES.get(kind, kind)}"]
    return float(tensor[tuple(index)]), float(tensor.abs().max())


def half_a_digit(text):
    """Of 12.35 it is 0.005, of 1.2e-5 it is 0.05e-5."""
    mantissa, _, power = text.partition("e")
    return 0.5 * 10.0 ** (int(power or 0) - len(mantissa.partition(".")[2]))
