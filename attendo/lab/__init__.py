"""Every claim of the lecture notes about the Transformer, put to the test: attention/l15_rank.py is claim L15."""
