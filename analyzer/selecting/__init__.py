"""Which models and sources a run is about, from the working tree and from git."""
