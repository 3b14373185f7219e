"""A step of training on a CPU with fewer detours: `training.py` is the door."""
