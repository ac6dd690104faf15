"""What a framework's constructors take by position."""

from __future__ import annotations

import functools
from itertools import takewhile

from analyzer.frameworks.api_tables import framework_data

_HOMES = {"torch": "torch.nn", "keras": "keras.layers"}


@functools.cache
def positional(framework: str, name: str) -> tuple[str, ...]:
    """The parameters of a layer class in the framework's order, up to those that only have names; () if not told."""
    told = framework_data(framework)["modules"][_HOMES[framework]].get(name) or ()
    return tuple(p.rstrip("=") for p in takewhile(lambda p: not p.startswith("*"), told))
