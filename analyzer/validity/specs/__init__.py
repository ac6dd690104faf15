"""Refinement types by family of operators. A new operator is a function here; nothing else changes."""
