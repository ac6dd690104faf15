"""How library names are declared: `@operator("torch.cat torch.concat", "tensors dim=0")`, one short rule each.

A rule is a function of an `Op` (where and how it is called) and the bound arguments. The families beside this module
hold the rules; `rules()` collects them. Adding a name touches one family only.
"""

from __future__ import annotations

import ast
import copy
import functools
import importlib
import pkgutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from analyzer.operators import registry
from analyzer.operators.declaration import NOTHING, WIDEST, Trait
from analyzer.tracing.language.evaluation import seen
from analyzer.tracing.language.tensors import Shape, Tensor
from analyzer.tracing.language.values import ListV, Unknown, Value
from analyzer.tracing.operators.strides import SHARING, of_result
from analyzer.tracing.paths.problems import ShapeFailure
from analyzer.tracing.paths.symbols import Site
from analyzer.tracing.paths.tracer import Tracer


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    kind: str = ""  # "*" or "**"
    default: Value = None
    required: bool = True
    also: tuple[str, ...] = ()  # other names of it, in one function or another


_SIZES = ("size", "shape", "dims", "repeats")  # of parameters that take numbers one by one, or a tuple by name
_SHAPING = frozenset(
    ("axis", "axes", "dim", "dims", "perm", "pattern", "shape", "size", "newshape", "output_shape", "repeats", "reps",
     "keepdims", "keepdim", "keep_dims", "transpose_a", "transpose_b", "indexing", "data_format", "num_classes",
     "dilation", "dilation_rate", "dilations", "stride", "strides", "padding", "ceil_mode", "scale_factor",
     "batch_first", "reduction", "reduce", "size_average", "groups", "full_matrices", "return_indices", "return_counts",
     "return_inverse", "batch_dims", "minlength", "maxlen", "output_size", "sample_shape", "num_or_size_splits")
)  # fmt: skip
# keyword arguments on which a shape depends, in one library or another
_TYPING = frozenset(("dtype", "out_type", "output_type", "output_dtype"))  # and those on which an element type does


class Extra(dict[str, Value]):
    """Keyword arguments that the table does not name; it remembers those on a shape or type that no rule looked at."""

    def __init__(self, named: Mapping[str, Value] | None = None) -> None:
        super().__init__(named or {})
        self.unread = set(self) & (_SHAPING | _TYPING)

    def get(self, key: str, default: Value = None) -> Value:
        self.unread.discard(key)
        return super().get(key, default)

    def __getitem__(self, key: str) -> Value:
        self.unread.discard(key)
        return super().__getitem__(key)

    def __contains__(self, key: object) -> bool:
        self.unread -= {str(key)}
        return super().__contains__(key)

    def __iter__(self) -> Iterator[str]:
        self.unread = set()
        return super().__iter__()

    def items(self) -> Any:
        self.unread = set()
        return super().items()


@dataclass
class Op:
    """One application: of which name, where, with which source expressions."""

    tr: Tracer
    name: str
    node: ast.Call | None = None
    site: Site | None = None
    variant: str = ""
    nodes: Mapping[str, ast.expr] = field(default_factory=dict)
    extra: Extra = field(default_factory=Extra)
    layer: str = ""
    made: tuple[Site, ...] = ()  # the lines that made the layer
    blind: bool = (
        False  # whether the shape of an operand or of the result is not known: it says little that this went well
    )
    _number: int = 0

    @property
    def number(self) -> int:
        """Identifies this application among all of the path."""
        if not self._number:
            self._number = next(self.tr.operations)
        return self._number

    def _open_type(self, value: Tensor) -> None:
        """What is joined has the largest type: it is open where that of one part is not known, or another one."""
        if value.dtype is None or self.short not in names_with(WIDEST):
            return
        others = {source.dtype for source in value.sources} - {value.dtype}
        if value.dtype.startswith(("float", "bfloat")):  # which is larger than whole numbers
            others = {kind for kind in others if kind is None or not kind.startswith(("int", "uint", "bool"))}
        if others:
            value.dtype = None

    def finish(self, value: Value) -> Value:
        """Mark the tensors of a result as made here."""
        if not self.tr.speculating:
            self.tr.pass_operator(self.where, self.name, self.blind or isinstance(value, Unknown))
        if isinstance(value, Tensor):
            self._open_type(value)
            if not value.operation:
                value.operation = self.number
                value.places = self.made
                value.site = value.site or self.where
                laid_out = self.short in SHARING or "memory_format" in self.extra
                if value.framework == "torch" and value.strides is None and not laid_out:
                    value.strides = of_result(self.short, value.sources, value)
        elif isinstance(value, tuple):
            for part in value:
                self.finish(part)
        elif isinstance(value, ListV):
            for part in value.items:
                self.finish(part)
        return value

    @property
    def where(self) -> Site:
        return self.site or self.tr.site(self.node)

    @property
    def short(self) -> str:
        return self.name.rpartition(".")[2]


Rule = Callable[..., Value]


@dataclass(frozen=True, slots=True)
class Entry:
    parameters: tuple[Parameter, ...]
    rule: Rule
    layer: bool = False
    traits: Trait = NOTHING


def operator(names: str, signature: str = "*args", traits: Trait = NOTHING) -> Callable[[Rule], Rule]:
    """Declare the rule of some names. `signature` lists parameters: ``input weight bias=None *rest``.

    ``number|chunks``: one that a call may also name so. `traits`: of what `analyzer.operators` does not declare.
    """

    def mark(rule: Rule) -> Rule:
        entry = Entry(parse_signature(signature), rule, traits=traits)
        found = (*getattr(rule, "entries", ()), *((name, entry) for name in names.split()))
        rule.entries = found  # type: ignore[attr-defined]
        return rule

    return mark


@functools.cache
def parse_signature(text: str) -> tuple[Parameter, ...]:
    parameters = []
    for part in text.split():
        if part.startswith("*"):
            kind = "**" if part.startswith("**") else "*"
            parameters.append(Parameter(part.lstrip("*"), kind, None, False))
            continue
        names, separator, default = part.partition("=")
        name, *also = names.split("|")
        value = ast.literal_eval(default) if separator else None
        parameters.append(Parameter(name, "", value, not separator, tuple(also)))
    return tuple(parameters)


@functools.cache
def rules() -> Mapping[str, Entry]:
    """Every declared name and its rule."""
    return dict(declared())


@functools.cache
def names_with(trait: Trait) -> frozenset[str]:
    """What libraries call the operators that are declared with a trait, here or for all rooms; modules left out.

    NumPy and Keras mean by a name what PyTorch does.
    """
    here = (name.rpartition(".")[2] for name, entry in rules().items() if trait in entry.traits)
    return frozenset((*registry.names("torch", trait), *here))


def declared() -> Iterator[tuple[str, Entry]]:
    """The declarations one by one. Modules of this package named ``*_rules`` hold them."""
    for module in pkgutil.iter_modules([str(Path(__file__).parent)]):
        if not module.name.endswith("_rules"):
            continue
        family = importlib.import_module(f"{__package__}.{module.name}")
        for value in list(vars(family).values()):
            if getattr(value, "__module__", None) == family.__name__:
                yield from getattr(value, "entries", ())
        yield from getattr(family, "TABLE", {}).items()


_GAPS = (TypeError, ValueError, AttributeError, IndexError, KeyError, ZeroDivisionError, OverflowError)


def run_rule(op: Op, entry: Entry, arguments: Mapping[str, Value]) -> Value:
    """The rule's value. A rule that does not foresee a call gives an unknown and a note, never an exception."""
    try:
        value = entry.rule(op, **arguments)
    except _GAPS as error:
        op.tr.note(f"the rule of {op.name} does not cover the call on line {op.where.line} ({type(error).__name__})")
        return op.tr.unknown(f"result of {op.name}", "imprecise")
    except ShapeFailure as failure:
        if op.extra.unread & _SHAPING:
            raise ShapeFailure(replace(failure.problem, certain=False)) from failure
        raise
    if op.extra.unread & _TYPING and isinstance(value, Tensor) and value.dtype is not None:
        value = copy.copy(value)
        value.dtype = None
    shaping = op.extra.unread & _SHAPING
    if shaping and isinstance(value, Tensor) and value.dims is not None and not _keeps(value, arguments):
        op.tr.note(f"{op.name} on line {op.where.line}: what `{min(shaping)}` does to the shape is not known.")
        return Tensor(Shape(None, vague=True), None, value.framework, site=op.where, graph=value.graph)
    return value


def _keeps(value: Tensor, arguments: Mapping[str, Value]) -> bool:
    """Whether the result has the shape of an operand: then no keyword that the rule ignores has changed it."""
    return any(isinstance(a, Tensor) and a.dims == value.dims for a in arguments.values())


# NumPy's names of parameters, which each function of PyTorch takes too.
_AS_IN_NUMPY = {"dim": ("axis",), "keepdim": ("keepdims",), "input": ("x", "a", "x1"), "other": ("x2",)}


def _names(parameter: Parameter) -> tuple[str, ...]:
    """What a call may name it: of several names the first that is given counts."""
    return (parameter.name, *parameter.also, *_AS_IN_NUMPY.get(parameter.name, ()))


def bind(
    entry: Entry, args: tuple[Value, ...], kwargs: dict[str, Value], node: ast.Call | None
) -> tuple[dict[str, Value], dict[str, ast.expr], Extra] | None:
    """(bound arguments, their source expressions, keyword arguments not named); None if the call does not fit."""
    bound: dict[str, Value] = {}
    nodes: dict[str, ast.expr] = {}
    sources = list(node.args) if node is not None and not any(isinstance(a, ast.Starred) for a in node.args) else []
    named = {k.arg: k.value for k in node.keywords if k.arg} if node is not None else {}
    rest = list(args)
    kwargs = dict(kwargs)
    position = 0
    for parameter in entry.parameters:
        if parameter.kind == "*":
            named_so = [k for k in ((parameter.name, "size") if parameter.name in _SIZES else ()) if k in kwargs]
            more = (kwargs.pop(named_so[0]),) if named_so and position >= len(rest) else ()  # `x.view(size=(2, 3))`
            bound[parameter.name] = (*rest[position:], *more)
            position = len(rest)
        elif parameter.kind == "**":
            bound[parameter.name] = kwargs
            kwargs = {}
        elif position < len(rest):
            bound[parameter.name] = rest[position]
            if position < len(sources):
                nodes[parameter.name] = sources[position]
            position += 1
        elif given := next((n for n in _names(parameter) if n in kwargs), None):
            bound[parameter.name] = kwargs.pop(given)
            if given in named:
                nodes[parameter.name] = named[given]
        elif parameter.required:
            return None
        else:
            bound[parameter.name] = parameter.default
    return (bound, nodes, Extra(kwargs)) if position >= len(rest) else None


def run_entry(
    tr: Tracer,
    entry: Entry,
    name: str,
    args: tuple[Value, ...],
    kwargs: dict[str, Value],
    node: ast.Call | None,
    variant: str = "",
) -> Value:
    bound = bind(entry, args, kwargs, node)
    if bound is None:
        return tr.unknown(f"result of {name}", "imprecise")
    arguments, nodes, extra = bound
    op = Op(tr, name, node, tr.site(node), variant, nodes, extra)
    return op.finish(run_rule(op, entry, {k: seen(v) for k, v in arguments.items()}))
