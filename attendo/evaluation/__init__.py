"""Section 6 of the paper: how good the translations are."""
