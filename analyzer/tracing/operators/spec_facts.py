"""What a refinement type declares, looked up once."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Mapping
from typing import Any

from analyzer.validity.spec import Spec


@functools.cache
def defaults_of(found: Spec) -> Mapping[str, Any]:
    """Hyperparameters with their defaults; `inspect.Parameter.empty` where there is none."""
    return found.defaults


@functools.cache
def open_ended(found: Spec) -> bool:
    """Whether the type takes hyperparameters that it does not name."""
    return any(p.kind is p.VAR_KEYWORD for p in inspect.signature(found.transfer).parameters.values())


@functools.cache
def operands(found: Spec) -> tuple[list[inspect.Parameter], bool]:
    """Parameters that are tensors, and whether any number of them may come."""
    parameters = list(inspect.signature(found.transfer).parameters.values())[1:]
    fixed = [p for p in parameters if p.kind is inspect.Parameter.POSITIONAL_OR_KEYWORD]
    return fixed, any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in parameters)
