"""The Transformer in numpy, written out, every tensor named: what `explain` looks through. No torch, nothing fused."""
