"""What runs beside an engine: a small program that needs NumPy and that one engine, nothing of Assay.

The folder is copied (or streamed into a container) as the package ``assay_worker`` and started there, so it imports
nothing but its own modules, the standard library, NumPy and, inside functions, the engine. Python 3.9 or later.
"""
