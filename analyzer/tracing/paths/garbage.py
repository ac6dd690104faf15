"""The interpreter looks for unreachable cycles seldom while a file is traced."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

FIRST = 100_000  # new containers before the youngest are looked through; a syntax tree alone has as many


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Inside, new objects are looked through rarely, and those from before not at all: syntax trees, tables and values
    live to the end, so that each look at all of them is in vain. Afterwards all is as it was."""
    before, alone = gc.get_threshold(), gc.get_freeze_count() == 0
    gc.set_threshold(max(before[0], FIRST) if before[0] else 0, *before[1:])
    if alone:
        gc.freeze()
    try:
        yield
    finally:
        if alone:
            gc.unfreeze()
        gc.set_threshold(*before)
