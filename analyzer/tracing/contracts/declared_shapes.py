"""Shapes that a program declares in jaxtyping annotations.

An annotation of a parameter is an assumption where nobody calls the function, and an obligation of every call; of a
return, a local or a field it is an obligation. One name is one size within a call; a name that is also an integer of
the constructor or of the call is that integer.
"""

from __future__ import annotations

import ast
import functools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from analyzer.tracing.contracts.rows_of_sizes import row
from analyzer.tracing.language.tensors import Shape, Tensor, show_shape
from analyzer.tracing.language.values import Function, Instance, Unknown, Value
from analyzer.tracing.paths.problems import Diagnostic
from analyzer.tracing.paths.solver import satisfiable
from analyzer.validity.terms import Cond, Poly, Term, equal, floor_div, mod, negate

if TYPE_CHECKING:
    from analyzer.tracing.paths.tracer import Tracer

RULE = "tracing/annotation-mismatch"
_TYPES = re.compile(
    r"(Float|Int|UInt|Bool|Complex|Num|Real|Inexact|Integer|Shaped|Key|Array)(8|16|32|64|128)?|BFloat16"
)
_CHECKED = ("jaxtyped", "typechecked", "typecheck", "beartype")  # decorators that raise when a shape does not fit
MANY = "..."  # axes of any number; in a round that trusts docstrings, so many that may be of any size
SIZES = "__sizes__"  # among the attributes of an object: the integers that its constructor was given

Sizes = dict[str, Any]  # of one call: a name's size; under "*name" a tuple of them


@dataclass(frozen=True)
class Axis:
    """One entry of a shape. `kind`: ``size`` (an expression), ``any`` (one of any size), ``many``, ``wide`` (or 1)."""

    kind: str
    text: str

    def __str__(self) -> str:
        return {"many": "*", "wide": "#"}.get(self.kind, "") + self.text


Contract = tuple[Axis, ...]


@lru_cache(maxsize=4096)
def contract_of_text(text: str) -> Contract | None:
    """The axes of ``"batch *rest h*w 3"``; None for what is no shape."""
    axes = []
    for token in text.split():
        token = token.lstrip("?")
        named = re.fullmatch(r"[A-Za-z_]\w*=(.+)", token)
        token = named[1] if named else token
        if token == "...":
            axes.append(Axis("many", "..."))
        elif token.startswith("*"):
            axes.append(Axis("many", token[1:] if not token[1:].startswith(("_", "#")) else "..."))
        elif token.startswith("_"):
            axes.append(Axis("any", token))
        elif token.startswith("#"):
            axes.append(Axis("wide", token[1:]))
        elif expression_of(token) is not None:
            axes.append(Axis("size", token))
        else:
            axes.append(Axis("any", token))  # `{self.size}` and what else is evaluated when the program runs
    return tuple(axes) if sum(a.kind == "many" for a in axes) <= 1 else None


@lru_cache(maxsize=4096)
def expression_of(text: str) -> ast.expr | None:
    """The expression of names, numbers and operators that a text is; None for what is none."""
    try:
        found = ast.parse(text, mode="eval").body
    except (SyntaxError, ValueError):
        return None
    allowed = (ast.BinOp, ast.Name, ast.Constant, ast.operator, ast.expr_context, ast.UnaryOp, ast.unaryop)
    return found if all(isinstance(n, allowed) for n in ast.walk(found)) else None


def contract_of(tr: Tracer, node: ast.expr | None, path: str, depth: int = 4) -> Contract | None:
    """The shape that an annotation declares: quoted, optional, aliased and one-argument forms too."""
    if node is None or depth == 0:
        return None
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        try:
            return contract_of(tr, ast.parse(node.value.strip(), mode="eval").body, path, depth - 1)
        except (SyntaxError, ValueError):
            return None
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        sides = [s for s in (node.left, node.right) if not (isinstance(s, ast.Constant) and s.value is None)]
        return contract_of(tr, sides[0], path, depth - 1) if len(sides) == 1 else None
    if isinstance(node, ast.Name):
        return contract_of(tr, _alias(tr, node.id, path), path, depth - 1)
    if not isinstance(node, ast.Subscript):
        return None
    name = node.value.attr if isinstance(node.value, ast.Attribute) else getattr(node.value, "id", "")
    if name in ("Optional", "Annotated", "Final", "ClassVar"):
        inner = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) and node.slice.elts else node.slice
        return contract_of(tr, inner, path, depth - 1)
    if not _TYPES.fullmatch(name):
        return None
    last = node.slice.elts[-1] if isinstance(node.slice, ast.Tuple) and node.slice.elts else node.slice
    if isinstance(last, ast.Constant) and isinstance(last.value, str):
        return contract_of_text(last.value)
    return None


def _alias(tr: Tracer, name: str, path: str) -> ast.expr | None:
    tree = tr.shared.sources.get(path)
    return _assigned(tree).get(name) if tree is not None else None


@functools.lru_cache(maxsize=256)
def _assigned(tree: ast.Module) -> dict[str, ast.expr | None]:
    """What the top level of a module assigns to each name first."""
    found: dict[str, ast.expr | None] = {}
    for statement in tree.body:
        if isinstance(statement, ast.Assign):
            for target in statement.targets:
                if isinstance(target, ast.Name):
                    found.setdefault(target.id, statement.value)
        elif isinstance(statement, ast.AnnAssign):
            found.setdefault(ast.unparse(statement.target), statement.value)
    return found


# ------------------------------------------------------------------------------------------------ calls and returns


def enter(tr: Tracer, function: Function, names: dict[str, Value], node: ast.AST | None) -> Sizes | None:
    """The sizes of a call by name, after its arguments were held against the parameters; None without annotations.

    An argument that nobody gives becomes, in `names`, a tensor of the declared shape.
    """
    parameters = _parameters(function)
    if not any(p.annotation is not None for p in parameters) and getattr(function.node, "returns", None) is None:
        return None
    sizes = known_sizes(names)
    symbols = {s.name for size in sizes.values() if isinstance(size, Poly) for s in size.symbols}
    sizes[""] = tuple(sorted(name for name in symbols if tr.symbols.kind(name) == "param"))  # that callers choose
    for parameter in parameters:
        contract = contract_of(tr, parameter.annotation, function.path)
        if contract is not None and parameter.arg in names:
            what = f"the argument `{parameter.arg}` of `{function.name}`"
            value = names[parameter.arg]
            check(tr, value, contract, sizes, what, node, _is_checked(function), assume=True)
            if isinstance(value, Unknown) and value.tensor is not None and not _may_be_absent(parameter):
                names[parameter.arg] = value.tensor
    return sizes


def leave(tr: Tracer, function: Function, value: Value, sizes: Sizes | None) -> None:
    """Hold what a function returns against its annotation."""
    returns = getattr(function.node, "returns", None)
    if sizes is None or returns is None:
        return
    parts: list[tuple[Value, ast.expr]] = [(value, returns)]
    if (
        isinstance(returns, ast.Subscript)
        and isinstance(returns.slice, ast.Tuple)
        and isinstance(value, tuple)
        and ast.unparse(returns.value).lower().rpartition(".")[2] == "tuple"
    ):
        parts = list(zip(value, returns.slice.elts, strict=False))
    for part, annotation in parts:
        contract = contract_of(tr, annotation, function.path)
        if contract is not None:
            check(tr, part, contract, sizes, f"what `{function.name}` returns", None, _is_checked(function))


def check_field(
    tr: Tracer, instance: Instance, name: str, value: Value, annotated: Mapping[str, ast.expr], sizes: Sizes
) -> None:
    """Hold a field of a dataclass against its annotation."""
    contract = contract_of(tr, annotated.get(name), instance.cls.path)
    if contract is not None:
        check(tr, value, contract, sizes, f"the field `{name}` of `{instance.cls.name}`", None)


def _parameters(function: Function) -> list[ast.arg]:
    spec = function.node.args
    return [*spec.posonlyargs, *spec.args, *spec.kwonlyargs]


def _may_be_absent(parameter: ast.arg) -> bool:
    text = ast.unparse(parameter.annotation) if parameter.annotation is not None else ""
    return "None" in text or "Optional" in text


def _is_checked(function: Function) -> bool:
    """Whether a decorator makes a wrong shape an exception."""
    marks = (ast.unparse(d) for d in getattr(function.node, "decorator_list", []))
    return any(word in mark for mark in marks for word in _CHECKED)


def known_sizes(names: Mapping[str, Value]) -> Sizes:
    """Integers of the call and of the object's constructor, by name. One letter is too common to mean the same."""
    sizes: Sizes = {}
    owner = next(iter(names.values()), None)
    given = owner.attrs.get(SIZES) if isinstance(owner, Instance) else None
    for name, value in (*(given or {}).items(), *names.items()):
        if isinstance(value, Unknown) and value.term is not None:
            value = value.term  # it was used as an integer
        if len(name) > 1 and isinstance(value, (int, Poly)) and not isinstance(value, bool):
            sizes[name] = value
    return sizes


def remember_sizes(instance: Instance, names: Mapping[str, Value]) -> None:
    """Keep the integers that a constructor was given, and what may turn out to be one."""
    kinds = (int, Poly, Unknown)
    found = {k: v for k, v in names.items() if isinstance(v, kinds) and not isinstance(v, bool)}
    if found:
        instance.attrs[SIZES] = {**instance.attrs.get(SIZES, {}), **found}


# ------------------------------------------------------------------------------------------------ one value


def check(
    tr: Tracer, value: Value, contract: Contract, sizes: Sizes, what: str, node: ast.AST | None,
    raises: bool = False, assume: bool = False,
) -> None:  # fmt: skip
    """Hold a value against a shape. With `assume` an argument that nobody gives gets it."""
    if isinstance(value, Unknown) and value.value is None and assume and value.origin == "param":
        if value.pytype in ("", "object"):
            give_shape(tr, tr.tensor_of(value, "torch"), contract, sizes)
        return
    if not isinstance(value, Tensor):
        return
    if value.dims is None:
        if assume:
            give_shape(tr, value, contract, sizes)
        return
    many = next((i for i, a in enumerate(contract) if a.kind == "many"), None)
    least = len(contract) - (many is not None)
    if len(value.dims) < least or (many is None and len(value.dims) > least):
        sentence = f"{len(value.dims)} dimensions {show_shape(value.dims)} where {_show(contract)} are declared"
        _report(tr, f"{what} has {sentence}", node, raises, value)
        return
    if many is not None and contract[many].text != "...":
        part = value.dims[many : len(value.dims) - (len(contract) - many - 1)]
        wrong = _of_many(tr, part, f"*{contract[many].text}", sizes)
        if wrong:
            sentence = f"{wrong} of {_show(contract)} (shape {show_shape(value.dims)})"
            _report(tr, f"{what} has {sentence}", node, raises, value)
            return
    for axis, size in aligned(contract, value.dims, many):
        wanted = size_of(axis, sizes)
        if wanted is None:
            if axis.kind == "size" and isinstance(expression_of(axis.text), ast.Name):
                sizes[axis.text] = size
            continue
        truth = equal(size, wanted)
        if axis.kind == "wide" and not isinstance(size, int):
            continue
        if axis.kind == "wide" and size == 1:
            continue
        if truth is True or not _violates(tr, truth, sizes):
            continue
        sentence = f"{size} where `{axis}` of {_show(contract)} is {wanted}"
        _report(tr, f"{what} has {sentence} (shape {show_shape(value.dims)})", node, raises, value)
        return


def _of_many(tr: Tracer, part: tuple[Term, ...], name: str, sizes: Sizes) -> str:
    """What is wrong with the axes that stand for `*name`, which are those of its first use; empty where nothing is."""
    known = sizes.setdefault(name, part)
    if len(known) != len(part):
        return f"{show_shape(part)} where {show_shape(known)} is `{name}`"
    for size, wanted in zip(part, known, strict=True):
        truth = equal(size, wanted)
        if truth is not True and _violates(tr, truth, sizes):
            return f"{show_shape(part)} where {show_shape(known)} is `{name}`"
    return ""


def _violates(tr: Tracer, truth: Any, sizes: Sizes) -> bool:
    """Whether the equation fails for every input, or for some where all sizes in it are open to the caller."""
    if truth is False:
        return tr.feasible()
    assert isinstance(truth, Cond)
    known = [c.truth for c in tr.path.conditions if not c.deferred]
    if satisfiable([*known, truth], tr.shared.effort) is False:
        return tr.feasible()
    declared = sizes.get("", ())
    if {s.name for s in truth.symbols} <= set(declared):
        return satisfiable([*known, negate(truth)], tr.shared.effort) is True
    return False


def aligned(contract: Contract, dims: tuple[Term, ...], many: int | None) -> Iterator[tuple[Axis, Term]]:
    """Each axis that says something of a size, with that size; `many`: the place of the one that stands for several."""
    for index, axis in enumerate(contract):
        if axis.kind in ("many", "any"):
            continue
        place = index if many is None or index < many else index - len(contract)
        yield axis, dims[place]


def give_shape(tr: Tracer, tensor: Tensor, contract: Contract, sizes: Sizes) -> None:
    """Give a tensor of unknown rank the declared shape; new names are sizes that callers choose."""
    many = next((axis for axis in contract if axis.kind == "many"), None)
    if many is not None and tr.spreading and many.text != "..." and tensor.shape.rank is None:
        key = f"*{many.text}"
        if key not in sizes:
            sizes[key] = row(tr, many.text)
        tr.touch(tensor.shape)
        parts = (sizes[key] if axis is many else (_size_or_new(tr, axis, sizes),) for axis in contract)
        tensor.shape.dims = tuple(size for part in parts for size in part)
        return
    if many is not None and tr.trusting and many.text == MANY and _is_blank(tensor.shape):
        if MANY not in sizes:
            sizes[MANY] = tuple(tr.fresh(MANY, "dim", 1) for _ in range(tr.trusting))
        tr.touch(tensor.shape)
        parts = (sizes[MANY] if axis is many else (_size_or_new(tr, axis, sizes),) for axis in contract)
        tensor.shape.dims = tuple(size for part in parts for size in part)
        return
    if many is not None:
        for index in range(-1, -len(contract) - 1, -1):
            axis = contract[index]
            if axis.kind == "many":
                return
            _place(tr, tensor.shape, index, axis, sizes)
        return
    tr.touch(tensor.shape)
    dims = [_size_or_new(tr, axis, sizes) for axis in contract]
    if _is_blank(tensor.shape):
        tensor.shape.dims = tuple(dims)
        return
    tr.set_rank(tensor, len(contract))


def _is_blank(shape: Shape) -> bool:
    """Whether nothing is known of it."""
    return shape.dims is None and shape.rank is None and not shape.front and not shape.back


def _place(tr: Tracer, shape: Shape, index: int, axis: Axis, sizes: Sizes) -> None:
    if index not in shape.back and shape.dims is None:
        tr.touch(shape)
        shape.back[index] = _size_or_new(tr, axis, sizes)


def _size_or_new(tr: Tracer, axis: Axis, sizes: Sizes) -> Term:
    found = size_of(axis, sizes) if axis.kind == "size" else None
    if found is not None:
        return found
    made = tr.fresh(axis.text if axis.text.isidentifier() else "size", "dim", 1)
    if axis.kind == "size" and axis.text.isidentifier():
        sizes[axis.text] = made
        sizes[""] = (*sizes.get("", ()), *(s.name for s in made.symbols))
    return made


def size_of(axis: Axis, sizes: Sizes) -> Term | None:
    """The size that an axis must have; None while a name in it has none."""
    node = expression_of(axis.text) if axis.kind in ("size", "wide") else None
    return _value(node, sizes) if node is not None else None


_ARITHMETIC: dict[type[ast.operator], Any] = {
    ast.Add: lambda a, b: a + b, ast.Sub: lambda a, b: a - b, ast.Mult: lambda a, b: a * b, ast.FloorDiv: floor_div,
    ast.Mod: mod,
}  # fmt: skip


def _value(node: ast.expr, sizes: Sizes) -> Term | None:
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, int) else None
    if isinstance(node, ast.Name):
        return sizes.get(node.id)
    if isinstance(node, ast.BinOp):
        left, right = _value(node.left, sizes), _value(node.right, sizes)
        if left is None or right is None:
            return None
        if isinstance(node.op, ast.Pow) and isinstance(right, int) and 0 <= right <= 4:
            result: Term = 1
            for _ in range(right):
                result = result * left
            return result
        rule = _ARITHMETIC.get(type(node.op))
        if rule is None or (isinstance(node.op, (ast.FloorDiv, ast.Mod)) and right == 0):
            return None
        found: Term = rule(left, right)
        return found
    return None


def _show(contract: Contract) -> str:
    return '"' + " ".join(map(str, contract)) + '"'


def _report(tr: Tracer, message: str, node: ast.AST | None, raises: bool, value: Tensor) -> None:
    site = tr.site(node)
    certain = tr.certain and not value.shape.vague
    made = (f"The value was made at `{value.site.path}:{value.site.line}`.",) if value.site is not None else ()
    level = "error" if raises else "warning"
    tr.report(Diagnostic(RULE, level, message, site, "annotation", made, certain, None, message.partition(" has ")[0]))
