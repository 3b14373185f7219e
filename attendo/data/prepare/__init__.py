"""From the files that a recipe names to a tokenizer and encoded pairs, to learn from and to validate with."""
