"""Elements of tensors, for a run of a program on numbers that this analysis makes up: see `sampler`."""
