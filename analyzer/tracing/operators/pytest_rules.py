"""What pytest gives a test beside fixtures: modules that a test needs, and ways of ending it early."""

from __future__ import annotations

from analyzer.tracing.imports.modules import import_module
from analyzer.tracing.language.values import Value
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.paths.paths import PathEnd
from analyzer.tracing.paths.problems import PyRaise


@operator("pytest.importorskip", "modname *rest")
def needed_module(op: Op, modname: Value, rest: tuple[Value, ...]) -> Value:
    """The module itself, also of `a.b.c`; where it cannot be imported the test does not run."""
    if not isinstance(modname, str) or not modname.strip(".") or modname.startswith("."):
        return op.tr.unknown("a module", label="importorskip()")
    try:
        return import_module(op.tr, modname, whole=True)
    except PyRaise as error:
        if error.name in ("ImportError", "ModuleNotFoundError"):
            raise PathEnd from None
        raise


@operator("pytest.skip pytest.xfail pytest.exit", "*rest")
def ended(op: Op, rest: tuple[Value, ...]) -> Value:
    raise PathEnd


@operator("pytest.fail", "*rest")
def failed(op: Op, rest: tuple[Value, ...]) -> Value:
    raise PyRaise("Failed", "a test fails itself")
