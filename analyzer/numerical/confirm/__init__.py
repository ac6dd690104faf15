"""Confirming warnings by concrete runs."""
