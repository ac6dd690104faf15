"""Where a program of the action ends because a package that it imports does not fit."""

from __future__ import annotations

import sys
from typing import NoReturn

from analyzer import installation


def stop(error: Exception) -> NoReturn:
    """Say in the runner's words which package is wrong, and exit with 2; what is no such failure is raised."""
    sentence = installation.explained(error)
    if sentence is None:
        raise error
    print("::error title=Assay::" + sentence.replace("%", "%25"))
    sys.exit(2)
