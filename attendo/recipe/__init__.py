"""A recipe: one file that says what to train on what, and how."""
