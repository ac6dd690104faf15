"""The loss that a training loop computes, as a function of the model and of what a batch holds.

Of the body of a loop the statements that the loss rests on are kept, up to where ``loss.backward()`` stands. Numerical
failures of training stand there, not in the model. The text is only read.
"""

from __future__ import annotations

import ast
import builtins
import copy
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from analyzer.selecting.example_calls import WithoutAccelerator, bound, statements_behind
from analyzer.selecting.model_code import Source
from analyzer.selecting.training_functions import FunctionCall, TrainingLoop, called_function, function_call

_CLASSES = re.compile(r"cross_?entropy|nll_?loss|CrossEntropy|NLLLoss")  # losses whose labels are numbers of classes
_BINARY = re.compile(r"binary|BCE", re.IGNORECASE)
_Assignment = ast.Assign | ast.AnnAssign | ast.AugAssign


@dataclass(frozen=True, slots=True)
class TrainingStep:
    """A loss. `behind` are the statements that the names of its body rest on, besides the model and the inputs."""

    line: int  # where the loop or ``training_step`` begins
    inputs: tuple[str, ...]  # of a batch: first what the model takes, then a target if there is one
    behind: tuple[str, ...]
    body: tuple[str, ...]  # the last line returns the loss
    told: str  # the text that tells what kind of loss it is
    call: FunctionCall | None = None  # of the function that the loop stands in

    def written(self, model: str, made: str, tensors: Sequence[str]) -> tuple[str, ...]:
        """The lines of an entry point: `made` is the expression of the model, the variable `model` its name here."""
        return self._entry(self.behind, (model, *self.inputs), self.body, made, tensors)

    def calling(self, made: str, tensors: Sequence[str]) -> tuple[str, ...] | None:
        """The same by a call of the function that the loop stands in; None where it stands in none."""
        if self.call is None:
            return None
        body = (f"return _loss(lambda: {self.call.text})",)
        return self._entry(self.call.behind, ("model", *self.inputs), body, made, tensors)

    def _entry(
        self, behind: Sequence[str], names: Sequence[str], body: Sequence[str], made: str, tensors: Sequence[str]
    ) -> tuple[str, ...]:
        given = ", ".join(tensors) + ("," if len(tensors) == 1 else "")
        head = f"def loss_of({', '.join(names)}):"
        return (*behind, head, *(f"    {line}" for line in body), f"return _Call({made}, loss_of), ({given})")

    def batches(self, tensor: str) -> list[tuple[str, ...]]:
        """Example inputs where the model takes `tensor`, likelier ones first."""
        several = tensor.replace("(1,", "(2,")  # a batch
        if len(self.inputs) == 1:
            return [(several,)]
        sizes = re.findall(r"\d+", several.partition("(")[2])
        classes = ["torch.randint(0, 2, (2,))"]
        values = ["torch.rand(2, 1)", "torch.rand(2)", several]
        if len(sizes) == 4:  # a picture: a class or a value for each pixel
            classes.append(f"torch.randint(0, 2, (2, {sizes[2]}, {sizes[3]}))")
            values.append(f"torch.rand(2, 1, {sizes[2]}, {sizes[3]})")
        first = _CLASSES.search(self.told) and not _BINARY.search(self.told)
        return [(several, target) for target in ([*classes, *values] if first else [*values, *classes])]


def training_step(
    tree: ast.Module, model: str, before: Sequence[ast.stmt], local: set[str], source: Source
) -> TrainingStep | None:
    """The first loop that trains the variable `model` on one input and at most one target; None where there is none.

    `before` are the statements that run before it, `local` the names that can be imported from the file.
    """
    for loop in ast.walk(tree):
        if isinstance(loop, ast.For):
            step = _of_loop(tree, loop, model, before, local, source)
            if step is not None:
                return step
    return None


def own_step(node: ast.ClassDef) -> TrainingStep | None:
    """The ``training_step(self, batch, index)`` of a class for Lightning, where it takes the batch apart into names."""
    step = next((n for n in node.body if isinstance(n, ast.FunctionDef) and n.name == "training_step"), None)
    if step is None or len(step.args.args) != 3:
        return None
    batch = step.args.args[1].arg
    apart = [s for s in step.body if isinstance(s, ast.Assign) and _names(s.value) == {batch} and bound(s)]
    target = apart[0].targets[0] if len(apart) == 1 else None
    if not isinstance(target, ast.Tuple) or not all(isinstance(name, ast.Name) for name in target.elts):
        return None
    names = [ast.unparse(name) for name in target.elts]
    read = set().union(*(_names(s) for s in step.body if s is not apart[0]))
    calls = [n for n in ast.walk(step) if isinstance(n, ast.Call) and ast.unparse(n.func).partition(".")[0] == "self"]
    fed = next((_names(a) & {*names} for c in calls for a in c.args if _names(a) & {*names}), set())
    inputs = tuple(name for name in names if name in read)
    gives = [n.value for n in ast.walk(step) if isinstance(n, ast.Return)]
    if len(fed) != 1 or len(inputs) > 2 or not gives or isinstance(gives[-1], ast.Dict | None):
        return None
    given = ", ".join(name if name in inputs else "None" for name in names)
    ordered = (*fed, *(name for name in inputs if name not in fed))
    return TrainingStep(step.lineno, ordered, (), (f"return model.training_step(({given},), 0)",), ast.unparse(node))


@dataclass(frozen=True, slots=True)
class _Slice:
    """The statements of a loop that its loss rests on, the names that these need, and of them those of the batch."""

    kept: tuple[_Assignment, ...]
    needed: frozenset[str]
    inputs: frozenset[str]
    loss: str
    backward: ast.stmt


def _slice(loop: ast.For) -> _Slice | None:
    statements = list(_flat(loop.body))
    trained = next(((at, name) for at, s in enumerate(statements) if (name := _backward(s)) is not None), None)
    if trained is None:
        return None
    held = {n.id for n in ast.walk(loop.target) if isinstance(n, ast.Name)}
    kept: list[_Assignment] = []
    needed, inputs = {trained[1]}, set[str]()
    for statement in reversed(statements[: trained[0]]):
        if not isinstance(statement, _Assignment) or not bound(statement) & needed:
            continue
        value = statement.value
        if value is not None and _names(value) and _names(value) <= held and not isinstance(value, ast.Call):
            inputs |= bound(statement) & needed  # ``x, y = batch``
            needed -= bound(statement)
            continue
        kept.insert(0, WithoutAccelerator().visit(copy.deepcopy(statement)))
        needed = (needed - bound(statement) if not isinstance(statement, ast.AugAssign) else needed) | _names(kept[0])
    inputs |= needed & held
    return _Slice(tuple(kept), frozenset(needed), frozenset(inputs), trained[1], statements[trained[0]])


def _of_loop(
    tree: ast.Module, loop: ast.For, model: str, before: Sequence[ast.stmt], local: set[str], source: Source
) -> TrainingStep | None:
    called = called_function(tree, loop, before)
    plain, there = _slice(loop), _slice(loop if called is None else called.with_arguments(loop))
    if plain is None or there is None:
        return None
    inputs = there.inputs
    fed = _fed(there.kept, model) & inputs
    free = there.needed - inputs - {model} - set(dir(builtins))
    if model not in there.needed or len(fed) != 1 or len(inputs) > 2:
        return None
    behind = statements_behind(before, {*free}, local, source)
    if behind is None or any("parse_args" in line for line in behind):
        return None
    lines = [line for s in there.kept for line in ast.unparse(s).splitlines()]
    ordered = (*fed, *(inputs - fed))
    told = "\n".join((*behind, *lines))
    call = None
    if called is not None:
        own = TrainingLoop(loop, plain.backward, model, ordered, plain.needed)
        call = function_call(called, own, before, local, source)
    return TrainingStep(loop.lineno, ordered, behind, (*lines, f"return {there.loss}"), told, call)


def _flat(statements: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements of a block, and those of its ``with`` blocks."""
    for statement in statements:
        if isinstance(statement, ast.With):
            yield from _flat(statement.body)
        else:
            yield statement


def _backward(statement: ast.stmt) -> str | None:
    """``loss`` of ``loss.backward()`` and of ``scaler.scale(loss).backward()``."""
    call = statement.value if isinstance(statement, ast.Expr) else None
    if not (isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "backward"):
        return None
    value = call.func.value
    if isinstance(value, ast.Call) and len(value.args) == 1:
        value = value.args[0]
    return value.id if isinstance(value, ast.Name) else None


def _fed(kept: Sequence[_Assignment], model: str) -> set[str]:
    """The names that the one input of the model rests on."""
    for at, statement in enumerate(kept):
        calls = [n for n in ast.walk(statement) if isinstance(n, ast.Call) and _names(n.func) == {model}]
        if calls and isinstance(calls[0].func, ast.Name) and len(calls[0].args) == 1:
            found = _names(calls[0].args[0])
            for earlier in reversed(kept[:at]):
                found |= _sources(earlier, found)
            return found
    return set()


def _sources(statement: _Assignment, wanted: set[str]) -> set[str]:
    """The names that those of `wanted` rest on which the statement binds: ``x, y = x.to(device), y.to(device)``."""
    target = statement.targets[0] if isinstance(statement, ast.Assign) else statement.target
    if isinstance(target, ast.Tuple) and isinstance(statement.value, ast.Tuple):
        pairs = zip(target.elts, statement.value.elts, strict=False)
        return set().union(*(_names(v) for t, v in pairs if isinstance(t, ast.Name) and t.id in wanted))
    return _names(statement) if bound(statement) & wanted else set()


def _names(node: ast.AST) -> set[str]:
    """The names that are read."""
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)}
