"""A training loop that stands in a function: the entry point calls the function itself, with one batch.

So it checks what the function says today, at its own lines; a copy of the loop would grow old. What the loss does not
rest on (an optimizer, a writer) is a stand-in. The text is only read.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from analyzer.selecting.example_calls import statements_behind
from analyzer.selecting.model_code import Source

_STAND_IN = "MagicMock()"


@dataclass(frozen=True, slots=True)
class FunctionCall:
    """A call of the function that gives no more than a loss. `behind` are the statements that its names rest on."""

    behind: tuple[str, ...]
    text: str


@dataclass(frozen=True, slots=True)
class TrainingLoop:
    """A loop that trains what the caller's variable `model` holds: names of its batch, and all that its loss reads."""

    node: ast.For
    backward: ast.stmt
    model: str
    inputs: tuple[str, ...]
    reads: frozenset[str]


@dataclass(frozen=True, slots=True)
class CalledFunction:
    """A function at the top of a file with the arguments of a call, by parameter."""

    node: ast.FunctionDef
    given: Mapping[str, ast.expr]

    def with_arguments(self, loop: ast.For) -> ast.For:
        """A loop of the function with what its parameters are given in their places."""
        written = {n.id for n in ast.walk(self.node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        given = {name: value for name, value in self.given.items() if name not in written}
        placed = _Placed(given).visit(copy.deepcopy(loop))
        assert isinstance(placed, ast.For)
        return placed


@dataclass
class _Placed(ast.NodeTransformer):
    given: Mapping[str, ast.expr]

    def visit_Name(self, node: ast.Name) -> ast.expr:
        known = self.given.get(node.id) if isinstance(node.ctx, ast.Load) else None
        return node if known is None else ast.copy_location(copy.deepcopy(known), node)


def called_function(tree: ast.Module, loop: ast.For, before: Sequence[ast.stmt]) -> CalledFunction | None:
    """The function of `tree` that `loop` stands in, where `before` calls it with arguments that are all told."""
    function = next((n for n in tree.body if isinstance(n, ast.FunctionDef) and loop in ast.walk(n)), None)
    if function is None or function.args.vararg or function.args.kwarg or function.args.posonlyargs:
        return None
    call = next((c for s in before for c in ast.walk(s) if _calls(c, function.name)), None)
    given = _bound(function, call) if isinstance(call, ast.Call) else None
    return None if given is None else CalledFunction(function, given)


def function_call(
    called: CalledFunction, loop: TrainingLoop, before: Sequence[ast.stmt], local: Collection[str], source: Source
) -> FunctionCall | None:
    """The call with one batch for the loader and stand-ins for the rest; None where the loss rests on more.

    `local` are the names that can be imported from the file.
    """
    function, given = called.node, called.given
    loaders = {n.id for n in ast.walk(loop.node.iter) if isinstance(n, ast.Name)} & {*given}
    batch = _batch(loop)
    if function.name not in local or batch is None or len(loaders) != 1:
        return None
    written: dict[str, str] = {}
    needed: set[str] = {function.name}
    for name, value in given.items():
        if name in loaders:
            written[name] = f"_Batches([{batch}])"
        elif isinstance(value, ast.Name) and value.id == loop.model:
            written[name] = "model"
        elif name in loop.reads or isinstance(value, ast.Constant):
            written[name] = ast.unparse(value)
            needed |= {n.id for n in ast.walk(value) if isinstance(n, ast.Name)}
        elif _only_told(function, name, loop.backward):
            written[name] = _STAND_IN
        else:
            return None
    behind = statements_behind(before, needed, {*local}, source)
    if "model" not in written.values() or behind is None or any("parse_args" in line for line in behind):
        return None
    order = [a.arg for a in function.args.args]
    plain = [name for at, name in enumerate(order) if {*order[: at + 1]} <= {*written}]  # before what is left out
    arguments = [written[name] for name in plain]
    arguments += [f"{name}={text}" for name, text in written.items() if name not in plain]
    return FunctionCall(behind, f"{function.name}({', '.join(arguments)})")


def _calls(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == name


def _bound(function: ast.FunctionDef, call: ast.Call) -> Mapping[str, ast.expr] | None:
    """The arguments of a call by parameter; what has a default and is not given is left out."""
    if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
        return None
    found = dict(zip((a.arg for a in function.args.args), call.args, strict=False))
    return found | {k.arg: k.value for k in call.keywords if k.arg is not None}


def _batch(loop: TrainingLoop) -> str | None:
    """What the loader gives: the names of the batch, None for what the loss does not need."""
    element = loop.node.target
    if any(isinstance(n, ast.Name) and n.id == "enumerate" for n in ast.walk(loop.node.iter)):
        if not (isinstance(element, ast.Tuple) and len(element.elts) == 2):
            return None
        element = element.elts[1]
    if isinstance(element, ast.Name) and element.id not in loop.inputs:
        apart = [s for s in loop.node.body if isinstance(s, ast.Assign) and isinstance(s.value, ast.Name)]
        named = [s.targets[0] for s in apart if ast.unparse(s.value) == element.id]
        if len(named) != 1:
            return None
        element = named[0]
    names = [n.id for n in ast.walk(element) if isinstance(n, ast.Name)]
    return _given(element, loop.inputs) if {*loop.inputs} <= {*names} else None


def _given(element: ast.expr, inputs: Collection[str]) -> str | None:
    if isinstance(element, ast.Tuple | ast.List):
        parts = [_given(part, inputs) for part in element.elts]
        comma = "," if len(parts) == 1 else ""
        return None if None in parts else f"({', '.join(part or '' for part in parts)}{comma})"
    if isinstance(element, ast.Name):
        return element.id if element.id in inputs else "None"
    return None


def _only_told(function: ast.FunctionDef, name: str, backward: ast.stmt) -> bool:
    """Whether the parameter is only told things before the loss is there: ``optimizer.zero_grad()``."""
    told: set[int] = set()
    for node in _before(function, backward):
        if isinstance(node, ast.Expr):
            told |= {id(n) for n in ast.walk(node)}
    reads = (n for n in _before(function, backward) if isinstance(n, ast.Name) and n.id == name)
    return all(id(n) in told for n in reads) and not any(
        isinstance(n, ast.Name) and n.id == name for n in ast.walk(backward)
    )


def _before(function: ast.FunctionDef, backward: ast.stmt) -> Iterator[ast.AST]:
    for node in ast.walk(function):
        if getattr(node, "lineno", backward.lineno) < backward.lineno:
            yield node
