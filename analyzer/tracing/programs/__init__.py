"""What is traced of a file: its program, its callers elsewhere, and what nothing calls."""
