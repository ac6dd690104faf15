"""The part of the exporter that runs beside the project's code, inside a sandbox.

It is copied into containers that know nothing of Assay: standard library and the framework found there only, relative
imports only, Python 3.9 and later.
"""
