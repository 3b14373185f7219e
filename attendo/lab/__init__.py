"""Small tasks on which claims about the Transformer are put to the test."""
