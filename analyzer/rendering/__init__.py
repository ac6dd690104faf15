"""Everything a person or a machine reads, made from the `Report` alone."""
