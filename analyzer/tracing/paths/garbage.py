"""The interpreter looks for unreachable cycles seldom while a file is traced."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager

FIRST = 100_000  # new containers before the youngest are looked through; a syntax tree alone has as many


@contextmanager
def seldom_collected() -> Iterator[None]:
    """Inside, new objects are looked through rarely: syntax trees and values live to the end, so that each look at
    all of them is in vain. The thresholds are put back afterwards."""
    before = gc.get_threshold()
    gc.set_threshold(max(before[0], FIRST) if before[0] else 0, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
