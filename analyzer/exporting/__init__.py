"""Python entry point -> `Graph`, by running the project's code inside a sandbox."""
