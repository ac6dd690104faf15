"""Targets through the analyses: the pipeline, one process a target, the cache, what several targets repeat."""
