"""Where the tags of 200 sentences go: see __main__.py."""
