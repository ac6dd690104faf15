"""The part of the exporter that runs beside the project's code, inside a sandbox.

It is copied into containers that know nothing of Assay: standard library and the framework found there only, relative
imports only, Python 3.9 and later.
"""

import sys

if sys.version_info < (3, 9):  # noqa: UP036 - the container's Python, not ours
    sys.exit("Python %d.%d is too old for the exporter, which needs 3.9" % sys.version_info[:2])  # noqa: UP031
