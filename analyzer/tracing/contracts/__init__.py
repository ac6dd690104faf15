"""Shapes that people write down: annotations, docstrings, comments; and those that are shown or proposed to them."""
