"""Looking inside a model: attention, alignment, every step of the search, as text, pictures and a page."""
