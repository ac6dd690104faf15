"""Python's own bugs in a file, and what other people's tools say of it."""
