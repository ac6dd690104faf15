"""Sizes, axes and indices written as literals that no tensor bears, or that change nothing, whatever a file is given.

They are read from the syntax alone, so also where nothing leads: in functions that nothing calls with a known tensor,
and in what stands in for a library that is not installed. What an object is, is not known here: all is possible.
"""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from analyzer.tracing.language.all_parts import all_parts
from analyzer.tracing.paths.problems import Diagnostic
from analyzer.tracing.paths.symbols import Site

LIBRARIES = frozenset(("torch", "tensorflow", "keras", "jax"))
MOST_AXES = 8  # larger numbers are sizes
_KNOWN = LIBRARIES | {"numpy", "einops"}
NOTHING_LEFT = "a size of 0 leaves no element"
TIER = "Read from the text alone: no run was followed to this line."
_RESHAPES = frozenset(("view", "reshape"))
_REPEATS = frozenset(("expand", "repeat", "tile", "broadcast_to"))
_SWAPS = frozenset(("transpose", "swapaxes", "swapdims"))
_PERMUTES = frozenset(("permute", "transpose"))
_CREATES = re.compile(r"(zeros|ones|empty|full|array|\w*[tT]ensor|constant|arange|rand\w*)(_like)?$")
_ASKS_SIZE = re.compile(r"numel|len\(|shape|size|empty|count|\bnum|any\(|is None|== 0|not ")
_AXIS_WORDS = ("dim", "axis")


@dataclass(frozen=True)
class _TensorCall:
    """A call of a tensor's method, or of a library's function, without the tensor."""

    name: str
    node: ast.Call
    args: tuple[ast.expr, ...]
    receiver: ast.expr | None
    of_module: bool  # not of an object
    arrays: bool  # objects may be arrays of NumPy

    def given(self, *words: str) -> tuple[ast.expr, ...]:
        """The positional arguments, or what stands for them under one of the words."""
        named = tuple(k.value for k in self.node.keywords if k.arg in words)
        args = self.args or named
        return tuple(args[0].elts) if len(args) == 1 and isinstance(args[0], (ast.Tuple, ast.List)) else args


def literal_problems(tree: ast.Module, path: str) -> Iterator[Diagnostic]:
    """What stands in the file and can hardly be meant."""
    modules = _modules(tree)
    if not LIBRARIES & set(modules.values()):
        return
    for node, conditions in _calls(tree, []):
        call = _call(node, modules)
        if call is None:
            continue
        sentence = next((told for check in _CHECKS if (told := check(call, conditions))), "")
        if sentence:
            site = Site(path, node.lineno, node.col_offset)
            yield Diagnostic(
                "tracing/incompatible-shape", "warning", f"{call.name}: {sentence}", site, call.name, (), False,
                tier=TIER,
            )  # fmt: skip


def _modules(tree: ast.Module) -> dict[str, str]:
    """The names that stand for modules, with the library of each."""
    found: dict[str, str] = {}
    for node in all_parts(tree):
        if isinstance(node, ast.Import):
            found.update({(a.asname or a.name).partition(".")[0]: a.name.partition(".")[0] for a in node.names})
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            library = node.module.partition(".")[0]
            names = {a.asname or a.name: library for a in node.names if not a.name[:1].isupper()}
            found.update(names if library in _KNOWN else {})
    return found


def _calls(node: ast.AST, conditions: list[str]) -> Iterator[tuple[ast.Call, list[str]]]:
    """The calls below a node with the conditions under which they are made; none that are meant to fail."""
    if isinstance(node, ast.With) and any("aises" in ast.unparse(item.context_expr) for item in node.items):
        return
    if isinstance(node, ast.Try):
        conditions = [*conditions, "try"]
    if isinstance(node, (ast.If, ast.IfExp, ast.While)):
        conditions = [*conditions, ast.unparse(node.test)]
    if isinstance(node, ast.Call):
        yield node, conditions
    for child in ast.iter_child_nodes(node):
        yield from _calls(child, conditions)


def _call(node: ast.Call, modules: dict[str, str]) -> _TensorCall | None:
    """The call of a method, or of a function of a library whose first argument is the tensor."""
    function, first = node.func, node.func
    arrays = bool({"numpy", "cv2", "PIL", "jax"} & set(modules.values()))
    while isinstance(first, ast.Attribute):
        first = first.value
    of_module = isinstance(first, ast.Name) and first.id in modules
    args = node.args[1:] if of_module else node.args
    plain = tuple(a for a in args if not isinstance(a, ast.Starred))
    if of_module and isinstance(first, ast.Name):
        known = modules[first.id] in _KNOWN and not any(isinstance(a, ast.Starred) for a in node.args[:1])
        name = function.attr if isinstance(function, ast.Attribute) else first.id
        return _TensorCall(name, node, plain, node.args[0] if node.args else None, True, arrays) if known else None
    if not isinstance(function, ast.Attribute):
        return None
    return _TensorCall(function.attr, node, plain, function.value, False, arrays)


def _literal(node: ast.expr) -> int | None:
    """The whole number that is written there."""
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        value = _literal(node.operand)
        return None if value is None else -value
    whole = isinstance(node, ast.Constant) and type(node.value) is int
    return node.value if whole and isinstance(node, ast.Constant) and isinstance(node.value, int) else None


def _literals(nodes: Sequence[ast.expr]) -> list[int] | None:
    """All of them, where each is a number."""
    found = [n for node in nodes if (n := _literal(node)) is not None]
    return found if len(found) == len(nodes) else None


# ------------------------------------------------------------------------------------------------------- what is told


def _new_shape(call: _TensorCall, conditions: Sequence[str]) -> str:
    """A shape that nothing is reshaped to."""
    if call.name not in _RESHAPES:
        return ""
    sizes = [n for node in call.given("shape", "size", "newshape", "target_shape") if (n := _literal(node)) is not None]
    if any(n < -1 for n in sizes):
        return f"the target shape has the size {min(sizes)}"
    if sizes.count(-1) > 1:
        return "the target shape leaves more than one size open"
    if -1 in sizes and 0 in sizes:
        return "the size -1 cannot be inferred beside a size of 0"
    return ""


def _nothing_left(call: _TensorCall, conditions: Sequence[str]) -> str:
    """A size of 0 for what is not made empty here."""
    if call.name not in _RESHAPES | _REPEATS or any(_ASKS_SIZE.search(c) for c in conditions):
        return ""
    given = call.given("shape", "size", "newshape", "multiples", "repeats", "dims", "reps")
    if call.name in ("repeat", "view") and len(given) < 2:
        return ""  # of a data set, of a view of something else
    if call.name == "repeat" and (call.of_module or (len(given) == 2 and call.arrays)):
        return ""  # the last number of NumPy's is an axis
    made = call.receiver.func if isinstance(call.receiver, ast.Call) else None
    if made is not None and _CREATES.search(ast.unparse(made)):
        return ""
    return NOTHING_LEFT if any(_literal(node) == 0 for node in given) else ""


def _no_swap(call: _TensorCall, conditions: Sequence[str]) -> str:
    """An axis that is exchanged with itself."""
    axes = _literals(call.given("dim0", "dim1", "axis1", "axis2")) if call.name in _SWAPS else None
    if axes is None or len(axes) != 2 or axes[0] != axes[1]:
        return ""
    return f"axis {axes[0]} is exchanged with itself, which changes nothing"


def _no_permutation(call: _TensorCall, conditions: Sequence[str]) -> str:
    """Axes that are no permutation."""
    axes = _literals(call.given("dims", "perm", "axes")) if call.name in _PERMUTES else None
    if not axes or len(axes) < 3:
        return ""
    places = [n + len(axes) if n < 0 else n for n in axes]
    return "" if sorted(places) == list(range(len(axes))) else f"{tuple(axes)} is no permutation of its axes"


def _axis_twice(call: _TensorCall, conditions: Sequence[str]) -> str:
    """A reduction that names an axis twice."""
    given = [k.value for k in call.node.keywords if k.arg in _AXIS_WORDS]
    if call.name == "roll" or not given or not isinstance(given[0], (ast.Tuple, ast.List)):
        return ""
    if call.name[:1].isupper():
        return ""  # an object with sizes of its own
    twice = [n for n, count in Counter(_literals(given[0].elts) or ()).items() if count > 1 and abs(n) < MOST_AXES]
    return f"axis {twice[0]} is named twice" if twice else ""


def _new_index(call: _TensorCall, conditions: Sequence[str]) -> str:
    """An index of the result of a product that no operand has."""
    if call.name != "einsum":
        return ""
    texts = [n.value for n in call.node.args if isinstance(n, ast.Constant) and isinstance(n.value, str)]
    if len(texts) != 1 or texts[0].count("->") != 1 or "." in texts[0] or "(" in texts[0]:
        return ""
    left, _, right = texts[0].partition("->")
    names = call.node.args and call.node.args[0] is not None and not isinstance(call.node.args[0], ast.Constant)
    operands = [set(part.split() if names else part.replace(" ", "")) for part in left.split(",")]
    given = set(right.split() if names else right.replace(" ", ""))
    extra = given - set().union(*operands)
    return f"the result has the index {min(extra)}, which no operand has" if extra else ""


_CHECKS = (_new_shape, _nothing_left, _no_swap, _no_permutation, _axis_twice, _new_index)
