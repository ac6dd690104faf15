"""Which refinement type an operator has: `spec("Conv2d", "torch")`."""

from __future__ import annotations

import functools
import importlib
import pkgutil
from collections.abc import Mapping

from analyzer.validity import specs
from analyzer.validity.spec import Spec

FRAMEWORKS = ("onnx", "torch", "keras", "tf")


@functools.cache
def all_specs() -> Mapping[tuple[str, str], Spec]:
    """Every type, by (framework, operator). Each module of `analyzer.validity.specs` holds one family."""
    found: dict[tuple[str, str], Spec] = {}
    for module in pkgutil.iter_modules(specs.__path__):
        family = importlib.import_module(f"{specs.__name__}.{module.name}")
        for function in vars(family).values():
            if getattr(function, "__module__", None) != family.__name__:
                continue
            for one in getattr(function, "specs", ()):
                key = (one.framework, one.name)
                if key in found and found[key].transfer is not one.transfer:
                    raise ValueError(f"two refinement types for {one.framework} {one.name}")
                found[key] = one
    return found


def spec(name: str, framework: str) -> Spec | None:
    """The refinement type of the operator, layer or function `name` of `framework`; None if there is none."""
    return all_specs().get((framework, name))
