"""What runs in the sandbox, in the project's own environment: standard library and the project's framework alone."""
