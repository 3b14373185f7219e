"""Other people's models, in and out: Marian at Hugging Face and of its own, Argos packages."""
