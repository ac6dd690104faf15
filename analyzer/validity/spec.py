"""Refinement types: what an operator demands of its operands and hyperparameters, and what it gives.

A type is one Python function over dimension terms (see `terms`)::

    @define("torch", "Linear")
    def linear(case: Case, x: TensorType, *, in_features: Term, out_features: Term, bias: bool = True) -> TensorType:
        case.require(POSITIVE_FEATURES, out_features >= 1, out_features=out_features)
        case.require(INNER_SIZE, equal(x.shape[-1], in_features), size=x.shape[-1], in_features=in_features)
        return x.with_shape((*x.shape[:-1], out_features))

and is read with integers (one check), with NumPy arrays (many vectors at once), with our symbolic terms and with Z3
terms (unknown dimensions). `check` runs it and tells the first rule that fails.
"""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

import numpy as np

from analyzer.operators.registry import declaration_of, filled
from analyzer.validity.terms import Poly, Term, Truth, equal, is_z3, symbol

MAX_RANK = 8  # the largest rank that is tried for a tensor whose rank is not known


class Category(StrEnum):
    """Refty's six kinds of type errors (Table 1), and advisories, which are no errors."""

    ILLEGAL_VALUE = "illegal-value"  # a hyperparameter outside its domain: stride 0
    IMPROPER_VALUE = "improper-value"  # inside the domain, against a rule of the operator: axis beyond the rank
    UNSUPPORTED_FORMAT = "unsupported-format"  # NHWC where the operator reads NCHW
    ILLEGAL_SHAPE = "illegal-shape"  # a dimension that would not be positive
    INCOMPATIBLE_SHAPE = "incompatible-shape"  # wrong rank, or operands that do not match
    INCOMPATIBLE_ELEMENT_TYPE = "incompatible-element-type"
    ADVISORY = "advisory"  # legal, but seldom meant


@dataclass(frozen=True, slots=True)
class Rule:
    """One named requirement. `message` is a format string over the facts that `Case.require` is given."""

    id: str
    category: Category
    message: str
    hyperparameters: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Quotient:
    """A number of floating point that is exactly `term` / `divisor`, with a divisor of at least 2."""

    term: Term
    divisor: int


@dataclass(frozen=True, slots=True)
class TensorType:
    """What is known of a tensor.

    `shape` is None when the rank is unknown; an entry None is an unknown size (`check` names it).
    `dtype` is NumPy's name (``float32``, ``bfloat16``, ``bool``, ``string``) or None. `format` is a layout such as
    ``NCHW`` when someone has stated it. `value` holds the elements of a small tensor that serves as a shape: a term
    for a scalar, else the flat tuple of its elements (row-major); see `carrying`.
    `last` is the last dimension when only that is known. `elements` are the tensors of a
    sequence, which is no tensor itself.
    """

    shape: tuple[Term, ...] | None = None
    dtype: str | None = None
    format: str | None = None
    value: Any = None
    last: Term | None = None
    elements: tuple[TensorType, ...] | None = None
    strides: tuple[Term, ...] | None = None  # of a view whose elements lie apart; None: contiguous

    @property
    def rank(self) -> int:
        return len(self.dims)

    @property
    def dims(self) -> tuple[Term, ...]:
        """The shape of a tensor whose rank is known, as it always is inside a type's function."""
        if self.shape is None:
            raise UnknownRank
        return self.shape

    def with_shape(self, shape: Sequence[Term] | None, dtype: str | None = None) -> TensorType:
        """The same element type (or `dtype`) and layout with another shape; values are forgotten."""
        kept = self.format if shape is not None and self.shape is not None and len(shape) == len(self.shape) else None
        return TensorType(None if shape is None else tuple(shape), dtype or self.dtype, kept)


class UnknownRank(Exception):
    """A rule needs the rank of a tensor whose rank is not known."""


class NeedsConcrete(Exception):
    """A rule needs the value of a hyperparameter (a rank, an axis), not a symbol of `symbols`."""

    def __init__(self, symbols: frozenset[str]) -> None:
        super().__init__(", ".join(sorted(symbols)))
        self.symbols = symbols


class _Stop(Exception):
    """A rule does not hold and nothing after it makes sense."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """One rule as it was met: its condition in the reading at hand, and the terms its message speaks of."""

    rule: Rule
    condition: Truth
    facts: Mapping[str, Any] = field(default_factory=dict)

    def sentence(self, values: Callable[[Any], Any] = lambda term: term) -> str:
        """The message with its facts; `values` turns a term into what is to be shown (by default the term itself)."""
        return self.rule.message.format(**{name: show(_each(fact, values)) for name, fact in self.facts.items()})


def _each(fact: Any, values: Callable[[Any], Any]) -> Any:
    return tuple(_each(f, values) for f in fact) if isinstance(fact, (tuple, list)) else values(fact)


def show(fact: Any) -> str:
    """A fact as people write it: shapes with ``×``, unknown sizes by name."""
    if isinstance(fact, (tuple, list)):
        return " × ".join("?" if f is None else show(f) for f in fact) if fact else "a scalar"
    if isinstance(fact, np.ndarray):
        return show(fact.flat[0].item()) if fact.size and (fact == fact.flat[0]).all() else "?"
    return str(fact)


@dataclass
class Case:
    """One application of a type: collects its requirements. The functions of the types call `require`.

    `version` is the framework's, as numbers; None means the newest.
    """

    framework: str = ""
    version: tuple[int, ...] | None = None
    requirements: list[Requirement] = field(default_factory=list)
    advisories: list[Requirement] = field(default_factory=list)

    def require(self, rule: Rule, condition: Truth, **facts: Any) -> None:
        """State that `condition` must hold. A plain False ends the application."""
        if condition is True or (isinstance(condition, np.bool_) and condition):
            return
        requirement = Requirement(rule, condition, facts)
        if rule.category is Category.ADVISORY:
            self.advisories.append(requirement)
            return
        self.requirements.append(requirement)
        if condition is False or isinstance(condition, np.bool_):
            raise _Stop

    def advise(self, rule: Rule, suspicious: Truth, **facts: Any) -> None:
        """Note an advisory where `suspicious` certainly holds."""
        if suspicious is True:
            self.advisories.append(Requirement(rule, False, facts))

    def concrete(self, value: Any, name: str = "") -> int:
        """`value` as an int, because the structure of the result depends on it."""
        if isinstance(value, Poly):
            raise NeedsConcrete(frozenset(s.name for s in value.symbols))
        if isinstance(value, np.ndarray):
            if value.size and (value == value.flat[0]).all():
                return int(value.flat[0])
            raise NeedsConcrete(frozenset((name,)))
        if is_z3(value):
            simplified = __import__("z3").simplify(value)
            if not hasattr(simplified, "as_long"):
                raise NeedsConcrete(frozenset((str(value),)))
            return int(simplified.as_long())
        return int(value)

    def is_sentinel(self, value: Any, sentinel: int | None) -> bool:
        """Whether `value` is the one that means something else: −1 for "computed", 0 for "none", None for "default".

        A symbol that may take the sentinel or another value makes two cases of the type, so its values are tried one
        by one. A size that nothing names, or that is computed from others, is never meant as a sentinel.
        """
        if value is None or sentinel is None or isinstance(value, (str, bool, tuple, list, Quotient)):
            return value is None and sentinel is None
        if isinstance(value, Poly):
            inside = value.interval.lo <= sentinel <= value.interval.hi
            named = str(value) in {s.name for s in value.symbols if "?" not in s.name}
            if not inside or not named:  # a size computed from others is never meant as a sentinel
                return equal(value, sentinel) is True
            return equal(value, sentinel) is True or self.concrete(value) == sentinel
        if isinstance(value, np.ndarray):
            met = value == sentinel
            return bool(met.all()) if met.all() or not met.any() else self.concrete(value) == sentinel
        if is_z3(value):
            possible = __import__("z3").simplify(value == sentinel)
            return str(possible) == "True" or (str(possible) != "False" and self.concrete(value) == sentinel)
        return bool(value == sentinel)

    def fresh(self, name: str, lo: int = 0) -> Poly:
        """An unknown size."""
        return symbol(f"{name}?{next(_counter)}", lo)

    def at_least(self, *version: int) -> bool:
        """Whether the framework's version is at least `version`; the newest when it is not known."""
        return self.version is None or self.version >= version


_counter = itertools.count()


class TypeStatus(StrEnum):
    VALID = "valid"
    INVALID = "invalid"
    DEPENDS = "depends"  # on the unknown terms in `requirements`
    UNKNOWN = "unknown"  # the operator's demands could not be stated: an unknown rank or structure


@dataclass(frozen=True, slots=True)
class CheckResult:
    """What a type says of one application.

    `failure` is the first rule that certainly fails. `requirements` are, in order, the rules that still depend on
    unknown terms (with the failing one last, if any); `outputs` is empty when the application certainly fails.
    """

    status: TypeStatus
    outputs: tuple[TensorType, ...] = ()
    failure: Requirement | None = None
    requirements: tuple[Requirement, ...] = ()
    advisories: tuple[Requirement, ...] = ()
    needs: frozenset[str] = frozenset()  # symbols whose values the structure depends on

    @property
    def output(self) -> TensorType:
        """The first output; of unknown shape when there is none."""
        return self.outputs[0] if self.outputs else TensorType()


ARGUMENTS = Rule("arguments", Category.IMPROPER_VALUE, "{problem}")


@dataclass(frozen=True)
class Spec:
    """The refinement type of one operator: `transfer(case, *inputs, **hyperparameters)` gives its output types."""

    framework: str
    name: str
    transfer: Callable[..., TensorType | tuple[TensorType, ...]]

    @functools.cached_property
    def parameters(self) -> Mapping[str, inspect.Parameter]:
        """The case, the operands and, keyword-only, the hyperparameters of `transfer`."""
        return inspect.signature(self.transfer).parameters

    @property
    def defaults(self) -> Mapping[str, Any]:
        """Hyperparameters with their defaults; `inspect.Parameter.empty` where there is none."""
        return {p.name: p.default for p in self.parameters.values() if p.kind is inspect.Parameter.KEYWORD_ONLY}


def define(framework: str, *names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Mark a function as the type of the operators `names` of `framework`: ``onnx``, ``tf``, ``torch``, ``keras``."""

    def mark(function: Callable[..., Any]) -> Callable[..., Any]:
        for name in names:
            filled(declaration_of(framework, name).types, (framework, name), Spec(framework, name, function))
        return function

    return mark


def define_ranks(
    framework: str, *names: str, ranks: Sequence[int] = (1, 2, 3)
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Mark what makes the type for a number of spatial axes; in the names, ``{}`` stands for that number."""

    def mark(make: Callable[..., Any]) -> Callable[..., Any]:
        for rank in ranks:
            define(framework, *(name.format(rank) for name in names))(make(rank))
        return make

    return mark


def check(
    spec: Spec,
    inputs: Sequence[TensorType | None] = (),
    hyperparameters: Mapping[str, Any] | None = None,
    *,
    version: tuple[int, ...] | None = None,
) -> CheckResult:
    """Apply `spec` to `inputs` (None: an optional operand that is absent). Never raises for what a user wrote.

    Ranks that are not known are tried from 0 to `MAX_RANK`: the application is invalid only if every rank is.
    """
    named = [_named(t) for t in inputs]
    unknown = [i for i, t in enumerate(named) if t is not None and t.shape is None]
    hyperparameters = hyperparameters or {}
    try:
        return _apply(spec, named, hyperparameters, version)
    except UnknownRank:
        if not unknown:
            raise
    if len(unknown) > 2:
        return CheckResult(TypeStatus.UNKNOWN)
    trials = []
    for ranks in itertools.product(range(MAX_RANK + 1), repeat=len(unknown)):
        trial = list(named)
        for index, rank in zip(unknown, ranks, strict=True):
            trial[index] = _of_rank(named[index], rank)  # type: ignore[arg-type]
        trials.append(_apply(spec, trial, hyperparameters, version))
    return _joined(trials)


def _named(tensor: TensorType | None) -> TensorType | None:
    if tensor is None or tensor.shape is None or all(d is not None for d in tensor.shape):
        return tensor
    return replace(tensor, shape=tuple(symbol(f"?{next(_counter)}", 0) if d is None else d for d in tensor.shape))


def _of_rank(tensor: TensorType, rank: int) -> TensorType:
    shape: list[Term] = [symbol(f"?{next(_counter)}", 0) for _ in range(rank)]
    if rank and tensor.last is not None:
        shape[-1] = tensor.last
    return replace(tensor, shape=tuple(shape))


def _apply(
    spec: Spec, inputs: Sequence[TensorType | None], hyperparameters: Mapping[str, Any], version: tuple[int, ...] | None
) -> CheckResult:
    case = Case(spec.framework, version)
    try:
        result = spec.transfer(case, *inputs, **hyperparameters)
    except _Stop:
        return CheckResult(
            TypeStatus.INVALID,
            failure=case.requirements[-1],
            requirements=tuple(case.requirements),
            advisories=tuple(case.advisories),
        )
    except NeedsConcrete as missing:
        return CheckResult(TypeStatus.UNKNOWN, requirements=tuple(case.requirements), needs=missing.symbols)
    except TypeError as error:
        problem = _signature_problem(spec, inputs, hyperparameters)
        if problem is None:
            raise
        failure = Requirement(ARGUMENTS, False, {"problem": problem})
        del error
        return CheckResult(TypeStatus.INVALID, failure=failure, requirements=(failure,))
    outputs = result if isinstance(result, tuple) else (result,)
    failed = next((r for r in case.requirements if _certainly_false(r.condition)), None)
    if failed is not None:
        return CheckResult(TypeStatus.INVALID, (), failed, tuple(case.requirements), tuple(case.advisories))
    open_ones = tuple(r for r in case.requirements if not _certainly_true(r.condition))
    status = TypeStatus.DEPENDS if open_ones else TypeStatus.VALID
    return CheckResult(status, outputs, None, open_ones, tuple(case.advisories))


def _certainly_false(condition: Truth) -> bool:
    return condition is False or (isinstance(condition, np.ndarray) and condition.size > 0 and not condition.any())


def _certainly_true(condition: Truth) -> bool:
    return condition is True or (isinstance(condition, np.ndarray) and bool(condition.all()))


def _signature_problem(
    spec: Spec, inputs: Sequence[TensorType | None], hyperparameters: Mapping[str, Any]
) -> str | None:
    """Why the operator cannot be called this way, or None if it can."""
    parameters = list(spec.parameters.values())[1:]
    operands = [p for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.POSITIONAL_ONLY)]
    variadic = any(p.kind is inspect.Parameter.VAR_POSITIONAL for p in parameters)
    needed = sum(p.default is inspect.Parameter.empty for p in operands)
    given = len(inputs)
    if given < needed:
        return f"{spec.name} needs {needed} operands and has {given}"
    if given > len(operands) and not variadic:
        return f"{spec.name} takes at most {len(operands)} operands and has {given}"
    known = spec.defaults
    for name, default in known.items():
        if default is inspect.Parameter.empty and name not in hyperparameters:
            return f"{spec.name} needs the hyperparameter `{name}`"
    if any(p.kind is inspect.Parameter.VAR_KEYWORD for p in parameters):
        return None
    for name in hyperparameters:
        if name not in known:
            return f"{spec.name} has no hyperparameter `{name}`; it has {', '.join(known) or 'none'}"
    return None


def _joined(trials: Sequence[CheckResult]) -> CheckResult:
    """One outcome for a tensor whose rank is not known from those for each rank."""
    possible = [t for t in trials if t.status is not TypeStatus.INVALID]
    if not possible:
        return replace(trials[0], outputs=())
    if len(possible) == 1:
        return possible[0]
    if any(t.status is TypeStatus.UNKNOWN for t in possible):
        return CheckResult(TypeStatus.UNKNOWN)
    outputs = []
    for position in zip(*(t.outputs for t in possible), strict=False):
        dtypes = {t.dtype for t in position}
        shapes = [t.shape for t in position]
        shape: tuple[Term, ...] | None = None
        last = None
        known = [s for s in shapes if s is not None]
        if len(known) == len(shapes) and len({len(s) for s in known}) == 1:
            shape = tuple(_meet(dims) for dims in zip(*known, strict=True))
        elif len(known) == len(shapes) and all(known):
            met = _meet([s[-1] for s in known])
            last = met
        outputs.append(TensorType(shape, dtypes.pop() if len(dtypes) == 1 else None, last=last))
    return CheckResult(TypeStatus.DEPENDS, tuple(outputs))


def _meet(dims: Sequence[Term]) -> Term | None:
    """The common size, or None."""
    return dims[0] if all(equal(dims[0], d) is True for d in dims[1:]) else None
