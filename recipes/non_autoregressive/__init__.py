"""A translator that gives all words at once, taught by one that gives them in turn."""
