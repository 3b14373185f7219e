"""Section 3 of the paper, one file per idea: token ids in, logits out."""
