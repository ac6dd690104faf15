"""lazy_loader: packages whose names are imported when they are asked for."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.imports.module_hooks import HOOK
from analyzer.tracing.imports.modules import import_module
from analyzer.tracing.language.evaluation import get_attribute
from analyzer.tracing.language.values import DictV, Native, Value
from analyzer.tracing.operators.hyperparameters import plain
from analyzer.tracing.operators.table import Op, operator


@operator("lazy_loader.attach", "package_name submodules=None submod_attrs=None")
def attach(op: Op, package_name: Value, submodules: Value, submod_attrs: Value) -> Value:
    """`__getattr__`, `__dir__` and `__all__` of a package; of a name that several modules give the last counts."""
    below, homes = _texts(op, submodules), _homes(op, submod_attrs)
    rest = op.tr.unknown("__dir__"), op.tr.unknown("__all__")
    if not isinstance(package_name, str) or below is None or homes is None:
        return op.tr.unknown("lazy_loader.attach()"), *rest

    def given(c: Any) -> Value:
        name = c.get(0)
        if name in below:
            return import_module(c.tr, f"{package_name}.{name}", whole=True)
        if name in homes:
            return get_attribute(c.tr, import_module(c.tr, f"{package_name}.{homes[name]}", whole=True), name)
        return c.tr.unknown(f"attribute {name} of {package_name}")

    return Native(HOOK, given), *rest


def _homes(op: Op, given: Value) -> dict[str, str] | None:
    """The module of each name."""
    if given is None:
        return {}
    if not isinstance(given, DictV) or given.open:
        return None
    found: dict[str, str] = {}
    for module, attributes in given.items.items():
        names = _texts(op, attributes)
        if not isinstance(module, str) or names is None:
            return None
        found.update(dict.fromkeys(names, module))
    return found


def _texts(op: Op, given: Value) -> tuple[str, ...] | None:
    """A list or set of texts; None where it is not known."""
    names = () if given is None else plain(op.tr, given)
    return names if isinstance(names, tuple) and all(isinstance(n, str) for n in names) else None
