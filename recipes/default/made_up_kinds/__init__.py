"""The kinds of made-up text: one file a kind, and the words they are made of."""
