"""CTranslate2: the fast engine on a CPU."""
