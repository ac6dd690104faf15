"""What pytest gives a test beside fixtures: modules that a test needs, and ways of ending it early."""

from __future__ import annotations

from analyzer.tracing.imports.modules import import_module
from analyzer.tracing.language.contexts import NULL
from analyzer.tracing.language.evaluation import call
from analyzer.tracing.language.values import Api, Bound, Class, Function, Object, Unknown, Value
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


@operator("pytest.raises pytest.warns pytest.deprecated_call numpy.testing.assert_raises "
          "numpy.testing.assert_raises_regex numpy.testing.assert_warns", "*args")  # fmt: skip
def expecting(op: Op, args: tuple[Value, ...]) -> Value:
    """A context, whose block `statements` follows, or the call of a function that is expected to raise."""
    told = Unknown("what was raised", "imprecise", "what was raised", "object")
    place = 2 if op.short.endswith("regex") else 1
    function = args[place] if len(args) > place else None
    if isinstance(function, (Function, Class, Bound, Api)):
        try:
            with op.tr.guarded(True):
                call(op.tr, function, args[place + 1 :], dict(op.extra), op.node)
        except PyRaise:
            return told
    return Object(NULL, {}, {"value": told})


@operator("pytest.approx", "expected *rest")
def approximate(op: Op, expected: Value, rest: tuple[Value, ...]) -> Value:
    """Whether a value equals it rests on the values."""
    return Unknown("an approximate number", "data", "approx()", "object")
