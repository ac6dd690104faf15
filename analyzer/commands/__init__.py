"""The command `assay`: one module a subcommand."""
