"""Paths through a program: their conditions, who decides them, and what a finished path proves."""
