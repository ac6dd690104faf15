"""`importlib`: modules that a program looks for or loads by the place of their files."""

from __future__ import annotations

import posixpath
from pathlib import PurePosixPath

from analyzer.tracing.imports.lazy_modules import LazyScope
from analyzer.tracing.imports.libraries import is_installed
from analyzer.tracing.imports.module_files import find_file
from analyzer.tracing.imports.modules import import_module, module_of
from analyzer.tracing.language.optional_packages import whether_there
from analyzer.tracing.language.own_paths import place_of
from analyzer.tracing.language.values import STORE, Api, Class, DictV, Instance, Module, Native, Object, Unknown, Value
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.paths.tracer import Tracer

_SPEC = "a module's specification"


@operator("importlib.import_module", "name package=None")
def imported(op: Op, name: Value, package: Value) -> Value:
    if not isinstance(name, str) or not name.strip(".") or (name.startswith(".") and not isinstance(package, str)):
        _forget_registries(op.tr)
        return op.tr.unknown("a module", label="import_module()")
    if isinstance(package, str) and name.startswith("."):
        up = len(name) - len(name.lstrip("."))
        above = package.split(".")
        name = ".".join([*above[: len(above) - up + 1], *filter(None, [name[up:]])])
    return import_module(op.tr, name, whole=True)


def _forget_registries(tr: Tracer) -> None:
    """A module of the repository that is not known may fill the dictionaries of those that are imported."""
    modules = [m.scope for m in tr.modules.values() if isinstance(m, Module) and not isinstance(m.scope, LazyScope)]
    held = [value for scope in modules for value in scope.names.values()]
    held += [value for owner in held if isinstance(owner, Class) for value in owner.scope.names.values()]
    tr.forget(v for v in held if isinstance(v, DictV) or (isinstance(v, Instance) and STORE in v.attrs))


@operator("importlib.util.find_spec", "name *rest")
def module_spec(op: Op, name: Value, rest: tuple[Value, ...]) -> Value:
    """A specification, or None where there is no such module; of others the machine decides, as for an import."""
    if not isinstance(name, str) or name.startswith("."):
        op.tr.shared.unknown_calls[op.name] += 1
        return op.tr.unknown(_SPEC, "foreign", "find_spec()")
    first = name.partition(".")[0]
    if find_file(op.tr, first) is None and not is_installed(first):
        there = whether_there(op.tr, first)
        if not (op.tr.decide(there) if isinstance(there, Unknown) else there):
            return None
    return Object(_SPEC, {"name": name})


@operator("importlib.util.spec_from_file_location", "name location=None *rest")
def spec_of_file(op: Op, name: Value, location: Value, rest: tuple[Value, ...]) -> Value:
    loader = Object("a loader", {"exec_module": Native("exec_module", lambda c: None)})
    return Object(_SPEC, {"name": name, "loader": loader, "origin": location}, {"place": place_of(location)})


@operator("importlib.util.module_from_spec", "spec")
def module_of_spec(op: Op, spec: Value) -> Value:
    """The module of a file of the repository as it is behind `exec_module`, which nothing comes before."""
    place = spec.data.get("place", "") if isinstance(spec, Object) and spec.kind == _SPEC else ""
    if place and PurePosixPath(place).suffix == ".py":
        found = import_module(op.tr, module_of(posixpath.normpath(place)), whole=True)
        return found if not isinstance(found, Api) else op.tr.unknown("a module", "imprecise")
    return op.tr.unknown("a module", "imprecise")
