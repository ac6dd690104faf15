"""What TensorFlow says of a failure in a function that it has converted: the project's lines are in the text."""

from __future__ import annotations

import os
import re
import traceback
from typing import Any

_LINE = re.compile(r'File "([^"]+)", line (\d+), in (\S+)')
_CAUSE = re.compile(r"^ +([A-Z]\w*(?:Error|Exception)): (.*)", re.DOTALL | re.MULTILINE)


def in_user_code(own: list[Any], text: str, root: str) -> tuple[list[Any], str]:
    """The frames of the project, with those that the text names, and the text of the error itself."""
    if not text.startswith("in user code:"):
        return own, text
    causes = list(_CAUSE.finditer(text))
    if not causes:
        return own, text
    frames = list(own)
    for path, line, name in _LINE.findall(text[: causes[-1].start()]):
        full = os.path.normpath(os.path.join(root, path))
        if full.startswith(root + os.sep) and "site-packages" not in full and os.path.isfile(full):
            frames.append(traceback.FrameSummary(full, int(line), name))
    return frames, causes[-1].group(2).strip()
