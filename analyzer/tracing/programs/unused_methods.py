"""Methods that nothing in a file calls, of objects made with unknown arguments: a transform's, a sampler's."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from analyzer.tracing.language.calls import call_instance
from analyzer.tracing.language.evaluation import call, get_attribute
from analyzer.tracing.language.values import Class, Function, Instance, Scope
from analyzer.tracing.paths.exploring import Cut, explore_beside, explore_cut
from analyzer.tracing.paths.frames import Frame
from analyzer.tracing.paths.tracer import Tracer
from analyzer.tracing.programs.filled_later import open_what_others_fill
from analyzer.tracing.programs.inferred_arguments import is_open, unknown_arguments

MOST_METHODS = 24  # of one file
METHOD_STEPS = 100_000  # of all of them, for each thousand lines
_OF_RANKS = frozenset(("axis-in-range", "rank"))  # rules that no size decides
_LIBRARIES = frozenset(("torch", "tensorflow", "keras", "jax", "numpy"))
_LEAVES_AS_IT_IS = ("staticmethod", "no_grad", "inference_mode", "override", "jit.")  # words of decorators


def explore_methods(base: Tracer, classes: list[Class], scope: Scope, relative: str, scale: float) -> None:
    """Follow each public method that no run has reached, with unknown arguments."""
    shared = base.shared
    if not _computes_with_arrays(shared.sources.get(relative)):
        return
    waiting = [(c, f) for c in classes for f in _methods(c) if f"{f.path}:{f.node.lineno}" not in shared.reached]
    limit, before = shared.most_steps, dict(shared.problems)
    shared.most_steps = min(limit, shared.steps + int(METHOD_STEPS * scale))
    cuts: list[Cut | None] = []
    try:
        for place, (cls, function) in enumerate(waiting[:MOST_METHODS], start=1):
            line = f"{function.path}:{function.node.lineno}"
            if line in shared.reached:
                continue
            body = partial(_call_method, base, cls, function, scope, relative)
            left = len(waiting[:MOST_METHODS]) - place
            cuts.append(explore_beside(base, f"{cls.name}.{function.name}", scale, body, f"{line} method", left))
        explore_cut(base, scale, [cut for cut in cuts if cut is not None])
    finally:
        shared.most_steps = limit
    for key, problem in list(shared.problems.items()):
        joint = problem.joint and problem.operand not in _OF_RANKS  # callers may never choose all of it together
        if joint and problem is not before.get(key):
            shared.problems.pop(key)
            shared.problems.update({key: before[key]} if key in before else {})


def _methods(cls: Class) -> Iterator[Function]:
    """What callers may call of the class's own, as it stands there."""
    for name, value in cls.scope.names.items():
        if not isinstance(value, Function) or isinstance(value.node, ast.Lambda) or value.name != name:
            continue
        marks = [ast.unparse(mark) for mark in value.node.decorator_list]
        plain = all(any(word in mark for word in _LEAVES_AS_IT_IS) for mark in marks)
        if plain and (not name.startswith("_") or name == "__call__") and _does_something(value.node):
            yield value


def _does_something(node: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    return any(isinstance(n, (ast.Call, ast.BinOp, ast.Subscript)) for part in node.body for n in ast.walk(part))


def _call_method(tr: Tracer, cls: Class, function: Function, scope: Scope, relative: str) -> None:
    tr.in_batches = tr.nothing_given = False
    tr.documented = []
    tr.frames.append(Frame(scope, relative, line=function.node.lineno))
    found = cls.find("__init__")
    initializer = found[0] if found is not None and isinstance(found[0], Function) else None
    args, kwargs = unknown_arguments(initializer, skip=1) if initializer is not None else ((), {})
    tr.made_up = True
    instance = call(tr, cls, args, kwargs, None, initializer is not None and is_open(initializer))
    if not isinstance(instance, Instance):
        return
    open_what_others_fill(tr, instance, function)
    alone = any("staticmethod" in ast.unparse(mark) for mark in getattr(function.node, "decorator_list", []))
    args, kwargs = unknown_arguments(function, skip=0 if alone else 1)
    if function.name == "__call__":
        call_instance(tr, instance, args, kwargs, None, is_open(function))
    else:
        call(tr, get_attribute(tr, instance, function.name), args, kwargs, None, is_open(function))


def _computes_with_arrays(tree: ast.Module | None) -> bool:
    """Whether a module imports one of the libraries whose arrays have shapes."""
    for node in ast.walk(tree) if tree is not None else ():
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        names += [a.name for a in node.names] if isinstance(node, ast.Import) else []
        if any(name.partition(".")[0] in _LIBRARIES for name in names):
            return True
    return False
