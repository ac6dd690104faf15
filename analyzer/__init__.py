"""Assay's analyzer: knows models, knows nothing of GitHub."""

import sys

from analyzer.late_sympy import Finder

__version__ = "0.1.0"

sys.meta_path.insert(0, Finder())
