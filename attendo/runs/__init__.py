"""A run folder: prepare, train, validate, report; and what a terminal shows of it."""
