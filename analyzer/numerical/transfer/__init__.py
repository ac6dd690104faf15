"""Transfer functions by family: what each operator does to bounds, and when it fails."""
