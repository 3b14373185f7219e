"""The recipes we ship; the folders hold what a recipe needs beside its settings."""
