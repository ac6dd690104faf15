"""Model files -> `Graph`, by parsing only. Nothing here executes, imports or unpickles what a file contains."""
