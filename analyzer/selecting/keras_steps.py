"""The losses of a Keras model's own ``train_step``, as a function of a batch.

A model that trains itself computes its loss there, under a ``GradientTape``, and nowhere else. The entry point makes
the model as a script makes it, and gives what the step hands to its tape. The text is only read.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from analyzer.selecting.command_line import with_defaults
from analyzer.selecting.definitions import last_name
from analyzer.selecting.example_calls import (
    DOWNLOADS,
    ExampleCall,
    assigned,
    pages_first,
    snake,
    statements_behind,
    straight_line,
)
from analyzer.selecting.model_code import ModelClass, ModelCode, Source, runs_when_imported

_COMPILED = re.compile(r"\.(compute_loss|compiled_loss)\(")  # the loss of ``compile``, which is not part of the step
_CLASSES = re.compile(r"[Ss]parse_?[Cc]ategorical|take_along_axis|one_hot|gather")  # targets are numbers of classes


@dataclass(frozen=True, slots=True)
class _OwnStep:
    """The ``train_step(self, data)`` of a class: `parts` are the names that it takes `data` apart into, if it does."""

    name: str
    path: str
    line: int
    parts: tuple[str, ...]
    classes: bool  # the target is likely the number of a class
    fed: str  # the attribute that holds the model whose input the batch is; empty for the model itself


@dataclass(frozen=True, slots=True)
class Batch:
    """An entry point with a batch to try, and the step called with it, which tracing can follow."""

    entry: ExampleCall
    call: ExampleCall


def own_steps(code: ModelCode) -> tuple[tuple[Batch, ...], ...]:
    """For the first model of each class with a step of its own the batches to try, likelier ones first."""
    steps = {step.name: step for source in code.sources if source.file is None for step in _steps(source)}
    found: dict[str, tuple[Batch, ...]] = {}
    for source in sorted(code.sources, key=pages_first) if steps else ():
        for name, batches in _made(source, steps):
            found.setdefault(name, batches)
    return tuple(found.values())


def _steps(source: Source) -> Iterator[_OwnStep]:
    for node in source.tree.body:
        if not isinstance(node, ast.ClassDef):
            continue
        for method in node.body:
            if isinstance(method, ast.FunctionDef) and method.name == "train_step" and len(method.args.args) == 2:
                text = ast.unparse(method)
                if "GradientTape" in text and not _COMPILED.search(text):
                    step = _of_method(source.path, node, method)
                    if step is not None:
                        yield step


def _of_method(path: str, owner: ast.ClassDef, method: ast.FunctionDef) -> _OwnStep | None:
    me, data = (argument.arg for argument in method.args.args)
    held, parts = {data}, tuple[str, ...]()
    classes = _CLASSES.search(ast.unparse(method)) is not None
    for node in sorted(ast.walk(method), key=lambda node: (getattr(node, "lineno", 0), getattr(node, "col_offset", 0))):
        if isinstance(node, ast.Assign):
            target, names = node.targets[0], [ast.unparse(name) for name in getattr(node.targets[0], "elts", ())]
            if names and isinstance(node.value, ast.Name) and node.value.id == data:
                parts = tuple(names)
                held |= {*parts[:1]}
            elif isinstance(target, ast.Name) and _as_wide(node.value, held):
                held.add(target.id)
        elif isinstance(node, ast.Call) and node.args and _as_wide(node.args[0], held):
            own, _, attribute = ast.unparse(node.func).partition(".")
            if own == me and (not attribute or attribute.isidentifier()):
                return _OwnStep(owner.name, path, method.lineno, parts, classes, attribute) if len(parts) < 3 else None
    return None


def _as_wide(value: ast.expr, held: set[str]) -> bool:
    """Whether an instance of `value` has the shape of one of the batch that the names `held` hold."""
    if isinstance(value, ast.BinOp):
        return _as_wide(value.left, held) or _as_wide(value.right, held)
    if isinstance(value, ast.Call) and last_name(value.func).startswith("concat") and value.args:
        return any(_as_wide(part, held) for part in getattr(value.args[0], "elts", ()))
    return isinstance(value, ast.Name) and value.id in held


def _made(source: Source, steps: dict[str, _OwnStep]) -> Iterator[tuple[str, tuple[Batch, ...]]]:
    tree = with_defaults(source.tree)
    defined = {n.name for n in tree.body if isinstance(n, ast.ClassDef | ast.FunctionDef)}
    local = set() if runs_when_imported(tree) else defined
    for before, block in straight_line(tree, []):
        for at, statement in enumerate(block):
            made, name = getattr(statement, "value", None), assigned(statement)
            step = steps.get(last_name(made.func)) if isinstance(made, ast.Call) and name else None
            if step is None or name is None:
                continue
            lines = statements_behind([*before, *block[: at + 1]], {name}, local, source)
            if lines is not None and not DOWNLOADS.search("\n".join(lines)):
                model = ModelClass(step.name, step.path, step.line, "keras", ())
                place = source.line + statement.lineno - 1
                made_here = ExampleCall(
                    f"{snake(step.name)}_step", model, source.path, place, ("import numpy as np", *lines)
                )
                yield step.name, tuple(_batches(step, name, made_here))


def _batches(step: _OwnStep, model: str, made: ExampleCall) -> Iterator[Batch]:
    """A batch alone, or with a target: a value for each result, and the number of a class."""
    fed = f"{model}.{step.fed}" if step.fed else model
    given = [f"np.random.rand(2, *{fed}.input_shape[1:]).astype('float32')"]
    targets = [f"np.random.rand(2, *{fed}.output_shape[1:]).astype('float32')"]
    targets.insert(0 if step.classes else 1, f"np.zeros((2, *{fed}.output_shape[1:-1]), 'int64')")
    names = ["x", "y"][: len(step.parts)]
    apart = f"lambda {', '.join(names)}: {model}.train_step(({', '.join(names)},))" if names else f"{model}.train_step"
    for values in [[*given, target] for target in targets] if len(names) == 2 else [given]:
        batch = f"({', '.join(values)},)"
        called = f"{model}.train_step({batch if names else given[0]})"
        yield Batch(
            replace(made, body=(*made.body, f"return _losses({apart}), {batch}")),
            replace(made, body=(*made.body, f"return {called}")),
        )
