"""Exceptions that end a run on made-up numbers, and that the program itself does not expect."""

from __future__ import annotations

import builtins
import re

from analyzer.tracing.language.tensors import COMPUTED
from analyzer.tracing.language.values import Instance, Object
from analyzer.tracing.operators.refusals import shorten
from analyzer.tracing.paths.problems import Diagnostic, PyRaise
from analyzer.tracing.paths.tracer import Tracer

# Of how a program ends, and of what its machine lacks: files, packages, names that a module which is not followed has.
_OUTSIDE = (SystemExit, KeyboardInterrupt, GeneratorExit, StopIteration, ImportError, OSError, NameError, Warning)


_RAISED = "raised by the program"


def is_own_mistake(error: PyRaise) -> bool:
    """Whether an operation of Python's refuses its operands, which no file, package or user decides."""
    return _of_the_code(error) and error.message != _RAISED and error.name != "AssertionError"


def _of_the_code(error: PyRaise) -> bool:
    kind = getattr(builtins, error.name, None)
    return error.site is not None and isinstance(kind, type) and not issubclass(kind, _OUTSIDE)


def tell_exception(tr: Tracer, error: PyRaise) -> None:
    """Report an exception that no handler catches; one of the program's own only if no number is estimated."""
    if error.site is None or not _of_the_code(error):
        return
    if tr.symbols.known.keys() - tr.sampler.counted:
        return  # sizes that nobody gives: how many elements there are, and which are equal, is not known then
    raised = error.message == _RAISED
    if (raised or error.name == "AssertionError") and (tr.sampler.rests_on != COMPUTED or tr.path.decisions):
        return  # behind a decision it refuses what a user may give, whose value is not known
    if tr.met_default and re.search(r"\bNone(Type)?\b", error.message):
        return  # a flag without a default, which whoever runs the program gives
    said = _words(error) if raised else error.message
    message = f"the program ends with {error.name}" + (f": {said}" if said else "")
    tr.report(Diagnostic("tracing/uncaught-exception", "error", shorten(message), error.site, error.name))


def _words(error: PyRaise) -> str:
    """What the program says when it raises it, where that is a text that is known."""
    args = error.value.attrs.get("args") if isinstance(error.value, (Instance, Object)) else None
    return args[0] if isinstance(args, tuple) and args and isinstance(args[0], str) else ""
