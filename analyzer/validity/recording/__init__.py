"""Search spaces from code: a model is built in the sandbox with recording values, and read as layers over terms."""
