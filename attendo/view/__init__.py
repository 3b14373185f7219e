"""What people look at: the structure of a model, its attention."""
