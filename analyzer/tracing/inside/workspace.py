"""A copy of the project that a script may write to: checkpoints, logs and results lie beside its code."""

from __future__ import annotations

import contextlib
import os
import shutil
import tempfile
from collections.abc import Iterator

LINKED = 1 << 20  # a larger file is data, and stays where it is: the copy has a link to it
MOST_COPIED = 64 << 20  # of a project with more than that the rest is linked too
COMPILED = (".so", ".pyd", ".dll")  # where the copy lies, nothing compiled may be loaded


@contextlib.contextmanager
def writable(root: str) -> Iterator[str]:
    """The folder of such a copy, which is gone afterwards; the project's own where there is no room for one."""
    folder = tempfile.mkdtemp(prefix="run-")
    try:
        copy = os.path.join(folder, os.path.basename(os.path.abspath(root)))
        try:
            _copy(os.path.abspath(root), copy)
        except OSError:
            copy = root
        yield copy
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _copy(root: str, copy: str) -> None:
    left = MOST_COPIED
    for folder, _, names in os.walk(root):
        there = os.path.join(copy, os.path.relpath(folder, root))
        os.makedirs(there, exist_ok=True)
        for name in names:
            source, target = os.path.join(folder, name), os.path.join(there, name)
            size = os.path.getsize(source)
            if name.endswith(COMPILED) or (not name.endswith(".py") and size > min(LINKED, left)):
                os.symlink(source, target)
            else:
                shutil.copyfile(source, target)
                left -= size
