"""The command line: read options, call the library, print."""
