"""attendo: the Transformer of "Attention Is All You Need", to train, run, measure and look into."""

__version__ = "0.1.0"
