"""What the default model is trained on beside real corpora."""
