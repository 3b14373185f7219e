"""How fast the server is: beside the engine alone, and beside what people would write or install instead."""
