"""From sentences as ids to batches as tensors."""
