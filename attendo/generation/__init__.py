"""A language model goes on with a text: prompts in, texts out, and how likely a text is."""
