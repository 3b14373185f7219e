"""Search by looking at everything: every target that the model could say, best score first."""

import torch


def every_target(model, source, max_length):
    """source ids [1, source] -> pairs of ids and log-probability, for all targets that end or reach the maximum.

    Padding 0 and <s> 1 are never said; </s> 2 ends. The model is run anew for each beginning, without any cache.
    """
    pending, done = [((), 0.0)], []
    while pending:
        ids, log_prob = pending.pop()
        if ids[-1:] == (2,) or len(ids) == max_length:
            done.append((ids, log_prob))
            continue
        with torch.inference_mode():
            logits = model(source, torch.tensor([[1, *ids]]))[0, -1].double()
        log_probs = logits.log_softmax(-1).tolist()
        pending += [((*ids, token), log_prob + log_probs[token]) for token in range(2, len(log_probs))]
    return done


def best_targets(targets, alpha):
    """Sorted by log-probability / length^α, highest first: triples of score, ids, log-probability."""
    return sorted(((log_prob / len(ids) ** alpha, ids, log_prob) for ids, log_prob in targets), reverse=True)
