"""What runs a script dry, inside a sandbox: it depends on nothing of Assay and on no framework.

    python -m assay_dry request.json

It is copied into containers that know nothing of Assay, so it runs on Python 3.8 and later.
"""
