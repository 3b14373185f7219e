"""What an encoder makes of a text: candidates for what is masked, and sentence vectors with their neighbours."""
