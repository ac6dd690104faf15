"""`onnx_ir` without sympy until a symbolic size is computed with: importing that takes longer than a small check.

While the package `onnx_ir` is imported, `sympy` and the module that reads symbolic expressions stand for themselves and
are imported when something of them is first used. Nobody else meets the substitutes.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

PACKAGE = "onnx_ir"
LATE = ("sympy", "onnx_ir._symbolic_shapes")


class _Late(ModuleType):
    """Stands for the module of its name."""

    def __getattr__(self, attribute: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            del sys.modules[self.__name__]
        return getattr(importlib.import_module(self.__name__), attribute)


class _SubstitutingLoader(Loader):
    """Loads as `loader` does, with substitutes for what is not imported yet."""

    def __init__(self, loader: Loader) -> None:
        self._loader = loader

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        return self._loader.create_module(spec)

    def exec_module(self, module: ModuleType) -> None:
        if module.__spec__ is not None:
            module.__spec__.loader = module.__loader__ = self._loader  # whoever asks later asks the loader itself
        late = {name: _Late(name) for name in LATE if name not in sys.modules}
        sys.modules.update(late)
        try:
            self._loader.exec_module(module)
        finally:
            for name, substitute in late.items():
                if sys.modules.get(name) is substitute:
                    del sys.modules[name]


class Finder(MetaPathFinder):
    """Finds `onnx_ir`, and nothing else."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(fullname, path, target) if fullname == PACKAGE else None
        if spec is not None and spec.loader is not None:
            spec.loader = _SubstitutingLoader(spec.loader)
        return spec
