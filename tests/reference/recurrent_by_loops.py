"""The witness of the recurrent models: one sentence, one step at a time, torch's own cells, attention in loops.

The formulas are written down from the papers (with the differences that attendo/model/recurrent.py names): no batch,
no padding, no mask, no cache, no fused kernel. Weights are read from the model, so that gradients reach them.
"""

import torch


def cell_step(kind, layer, x, state):
    """torch's cell functions, which take a batch: here of one."""
    weights = (layer.weight_ih_l0, layer.weight_hh_l0, layer.bias_ih_l0, layer.bias_hh_l0)
    if kind == "lstm":
        return torch.lstm_cell(x, state, *weights)
    step = {"rnn": torch.rnn_tanh_cell, "gru": torch.gru_cell}[kind]
    return (step(x, state[0], *weights),)


def read(kind, layer, rows):
    """rows: a list of vectors [1, d] -> the list of states h, from a state of zeros."""
    zeros = rows[0].new_zeros(1, layer.hidden_size)
    state, read_so_far = (zeros, zeros) if kind == "lstm" else (zeros,), []
    for x in rows:
        state = cell_step(kind, layer, x, state)
        read_so_far.append(state[0])
    return read_so_far


def encode(model, source):
    kind, scale = model.config.cell, model.config.d_model**0.5
    rows = [model.embedding.weight[token][None] * scale for token in source]
    for layer in model.encoder:
        rightward = read(kind, layer.rightward, rows)
        leftward = read(kind, layer.leftward, rows[::-1])[::-1]
        rows = [torch.cat(both, dim=-1) for both in zip(rightward, leftward, strict=True)]
    summary = torch.cat((rightward[-1], leftward[0]), dim=-1)
    return [row[0] for row in rows], summary


def score(model, h, m):
    """How well the decoder's state h [d] fits the encoder's state m [d]: one number."""
    attention = model.context.attention
    match model.config.attention:
        case "additive":  # Bahdanau et al. 2015, appendix A.1.2: v · tanh(W s + U h)
            hidden = attention.query.weight @ h + attention.key.weight @ m + attention.key.bias
            return sum(w * torch.tanh(z) for w, z in zip(attention.score.weight[0], hidden, strict=True))
        case "dot":  # Luong et al. 2015, equation 8
            return sum(a * b for a, b in zip(h, m, strict=True))
        case "general":
            product = [sum(w * b for w, b in zip(line, m, strict=True)) for line in attention.key.weight]
            return sum(a * b for a, b in zip(h, product, strict=True))


def look(model, h, memory):
    """-> the attentional vector W [h ; context], and the weights."""
    exponentials = [torch.exp(score(model, h, m)) for m in memory]
    weights = [e / sum(exponentials) for e in exponentials]
    context = sum(a * m for a, m in zip(weights, memory, strict=True))
    combine = model.context.combine
    return combine.weight @ torch.cat((h, context)) + combine.bias, torch.stack(weights)


def logits_by_loops(model, source, target_in):
    """Lists of ids -> logits [target, vocab] and attention weights [target, source] (None without attention)."""
    config = model.config
    memory, summary = encode(model, source)
    parts = 2 if config.cell == "lstm" else 1
    starts = torch.tanh(summary @ model.bridge.weight.T + model.bridge.bias).split(config.d_model, dim=-1)
    states = [starts[n * parts : (n + 1) * parts] for n in range(config.decoder_layers)]
    said, looked, fed = [], [], torch.zeros_like(summary)
    for token in target_in:
        x = model.embedding.weight[token][None] * config.d_model**0.5
        if config.input_feeding:  # Luong et al. 2015, 3.3
            x = torch.cat((x, fed), dim=-1)
        for n, layer in enumerate(model.decoder):
            states[n] = cell_step(config.cell, layer, x, states[n])
            x = states[n][0]
        vector, weights = (x[0], None) if config.attention == "none" else look(model, x[0], memory)
        fed = vector[None]
        said.append(model.output.weight @ vector)
        looked.append(weights)
    return torch.stack(said), None if config.attention == "none" else torch.stack(looked)
