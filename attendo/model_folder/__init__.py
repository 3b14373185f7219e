"""A model on disk: the bundle, its weights, and what came with the package."""
