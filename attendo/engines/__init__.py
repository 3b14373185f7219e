"""What decodes: batches of ids in, hypotheses out."""
