"""Assay's analyzer: knows models, knows nothing of GitHub."""

__version__ = "0.1.0"
