"""Section 5 of the paper: objective, step, loop, state, Trainer; from batches to weights."""
