"""Is a poor score a bad translation? 440 answers of the default model, labelled by hand."""
