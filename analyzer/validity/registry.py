"""Which refinement type an operator has: `spec("Conv2d", "torch")`."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Mapping

from analyzer.operators.registry import OPERATORS
from analyzer.validity import specs
from analyzer.validity.spec import Spec

FRAMEWORKS = ("onnx", "torch", "keras", "tf")


@functools.cache
def all_specs() -> Mapping[tuple[str, str], Spec]:
    """Every type, by (framework, operator). Each module of `analyzer.validity.specs` holds one family."""
    for module in pkgutil.iter_modules(specs.__path__):
        importlib.import_module(f"{specs.__name__}.{module.name}")
    return {key: one for operator in OPERATORS for key, one in operator.types.items()}


def spec(name: str, framework: str) -> Spec | None:
    """The refinement type of the operator, layer or function `name` of `framework`; None if there is none."""
    return all_specs().get((framework, name))
