"""Data that is read by `analyzer.differential.known` and `analyzer.differential.bisect`."""
