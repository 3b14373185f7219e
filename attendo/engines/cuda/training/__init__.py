"""A step of training in few programs, on a GPU: `fused.py` is the door, `written_out.py` the witness."""
