"""The outcome of a refinement type on traced tensors, of unknown rank too."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.operators.hyperparameters import AUTOCAST
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.spec import Category, CheckResult, Requirement, Spec, TensorType, TypeStatus, check
from analyzer.validity.terms import Cond, Poly, Term, substitute, symbol

_DTYPES = {
    "float": "float32",
    "double": "float64",
    "half": "float16",
    "long": "int64",
    "int": "int32",
    "short": "int16",
    "str": "string",
}


@dataclass(frozen=True)
class OfAnyRank(CheckResult):
    """The one result has the shape of the operand, whatever its rank."""


def outcome_of(
    tr: Tracer, found: Spec, tensors: Sequence[Tensor | None], clean: dict[str, Any], framework: str
) -> CheckResult | None:
    version = tr.shared.versions.get({"tf": "tensorflow"}.get(framework, framework))
    open_ones = list({id(t): t for t in tensors if t is not None and t.dims is None}.values())
    if len(open_ones) > 1:
        return None
    try:
        if not open_ones:
            return check(found, [type_of(t, tr.autocasting) for t in tensors], clean, version=version)
        return with_open_rank(tr, found, tensors, clean, version, open_ones[0])
    except (TypeError, ValueError, AttributeError, IndexError, KeyError, ZeroDivisionError) as error:
        tr.note(f"the rule of {found.name} does not cover this call ({type(error).__name__})")
        return None


def type_of(tensor: Tensor | None, autocasting: bool = False) -> TensorType | None:
    """`autocasting`: an operator may convert floating operands to a type of its own before it looks at them."""
    if tensor is None:
        return None
    dtype = _DTYPES.get(tensor.dtype or "", tensor.dtype)
    if autocasting and tensor.framework == "torch" and dtype in AUTOCAST:
        dtype = None
    return TensorType(tensor.dims, dtype, value=tensor.value, last=tensor.shape.back.get(-1))


def with_open_rank(
    tr: Tracer, found: Spec, tensors: Sequence[Tensor | None], clean: dict[str, Any], version: Any, subject: Tensor
) -> CheckResult | None:
    """Try every rank; if one alone is possible, the tensor has it from here on."""
    possible: list[tuple[int, CheckResult]] = []
    refused: list[CheckResult] = []
    kept = sum(t is not None for t in tensors) == 1
    least = max([axis + 1 for axis in subject.shape.front] + [-axis for axis in subject.shape.back], default=0)
    for rank in range(least, _highest_rank(clean) + 1):
        dims = tuple(_dimension_for_trial(subject, axis, rank) for axis in range(rank))
        types = [
            TensorType(dims, own.dtype) if t is subject and own is not None else own
            for t, own in ((t, type_of(t, tr.autocasting)) for t in tensors)
        ]
        outcome = check(found, types, clean, version=version)
        if outcome.status is not TypeStatus.INVALID:
            possible.append((rank, outcome))
            kept = kept and [o.shape for o in outcome.outputs if o is not None] == [dims]
        else:
            refused.append(outcome)
    if not possible:
        return _refused_at_every_rank(refused)
    if len(possible) == 1 and possible[0][1].status is not TypeStatus.UNKNOWN:
        tr.set_rank(subject, possible[0][0])
        return check(found, [type_of(t, tr.autocasting) for t in tensors], clean, version=version)
    if [rank for rank, _ in possible] == _batch_ranks(found.name) and not tr.speculating and tr.frames:
        batch = tr.path.choose(tr.site(), "rank", f"the input of {found.name} is a batch", True)
        tr.set_rank(subject, possible[batch][0])
        return check(found, [type_of(t, tr.autocasting) for t in tensors], clean, version=version)
    demands = _demands_of_all(tr, subject, [o for _, o in possible])
    if kept and len(possible) > 1:
        return OfAnyRank(TypeStatus.DEPENDS, possible[0][1].outputs, requirements=demands)
    shapes = [o.outputs for _, o in possible]
    if all(len(s) == 1 for s in shapes):
        lasts = [s[0].shape[-1] for s in shapes if s[0].shape]
        same_last = lasts and len(lasts) == len(shapes) and all(last == lasts[0] for last in lasts)
        ranks = {len(s[0].shape) for s in shapes if s[0].shape is not None}
        if len(ranks) == 1 and all(s[0].shape is not None for s in shapes):
            per_axis = list(zip(*[s[0].shape or () for s in shapes], strict=True))
            dims = tuple(
                axis[0] if all(a == axis[0] for a in axis) and not _is_trial(axis[0]) else tr.fresh("dim", "dim", 0)
                for axis in per_axis
            )
            return CheckResult(TypeStatus.DEPENDS, (TensorType(dims, shapes[0][0].dtype),), requirements=demands)
        if same_last and not _is_trial(lasts[0]):
            last = TensorType(None, shapes[0][0].dtype, last=lasts[0])
            return CheckResult(TypeStatus.DEPENDS, (last,), requirements=demands)
    return None


def _demands_of_all(tr: Tracer, subject: Tensor, outcomes: Sequence[CheckResult]) -> tuple[Requirement, ...]:
    """What the operator demands whatever the rank; a size counted from the back is the same size at every rank."""
    common = [
        r for r in outcomes[0].requirements
        if isinstance(r.condition, Cond) and all(r.condition in [o.condition for o in p.requirements] for p in outcomes)
    ]  # fmt: skip
    found = []
    for requirement in common:
        trials = {s.name: int(s.name[5:-1]) for s in requirement.condition.symbols if s.name.startswith("size[")}
        if any(axis != -1 for axis in trials.values()):
            continue  # a tensor of a smaller rank has no such size
        sizes = {name: tr.dimension(subject, axis) for name, axis in trials.items()}
        facts = {k: substitute(v, sizes) if isinstance(v, Poly) else v for k, v in requirement.facts.items()}
        found.append(replace(requirement, condition=substitute(requirement.condition, sizes), facts=facts))
    return tuple(found)


def _batch_ranks(name: str) -> list[int]:
    """The ranks of one example and of a batch, for layers named by their number of spatial dimensions."""
    found = re.fullmatch(
        r"(?:Lazy)?(?:Conv|ConvTranspose|MaxPool|AvgPool|AdaptiveAvgPool|AdaptiveMaxPool)([123])d", name
    )
    return [int(found[1]) + 1, int(found[1]) + 2] if found is not None else []


def _highest_rank(clean: dict[str, Any]) -> int:
    """Ranks that are tried: far enough beyond those that an argument such as `dims` lists."""
    lengths = [len(v) for v in clean.values() if isinstance(v, tuple)]
    axes = [abs(v) for k, v in clean.items() if isinstance(v, int) and ("dim" in k or "axis" in k) and abs(v) < 12]
    return max([6, *(n + 3 for n in (*lengths, *axes))])


def _refused_at_every_rank(outcomes: Sequence[CheckResult]) -> CheckResult | None:
    """The refusal that tells most, given those at all ranks tried; None where a larger rank may fit.

    A rule reads ranks uniformly: one that refuses the three largest for the same reason refuses those above.
    """
    rules = [o.failure.rule if o.failure is not None else None for o in outcomes]
    if None in rules or len({rule.id for rule in rules[-3:] if rule is not None}) != 1:
        return None
    incompatible = (Category.INCOMPATIBLE_SHAPE, Category.INCOMPATIBLE_ELEMENT_TYPE)
    telling = [o for o, rule in zip(outcomes, rules, strict=True) if rule is not None and rule.category in incompatible]
    special = [
        o for o in telling if o.failure is not None and rules[-1] is not None and o.failure.rule is not rules[-1]
    ]
    common = [o for o in telling if o not in special]
    others = [o for o, rule in zip(outcomes, rules, strict=True) if rule is not rules[-1]]
    if not special and len(others) == 1:
        return others[0]  # of the one rank that there is, where an argument is refused
    return special[-1] if special else (common or list(outcomes))[0]


def _dimension_for_trial(subject: Tensor, axis: int, rank: int) -> Term:
    shape = subject.shape
    if axis in shape.front:
        return shape.front[axis]
    if axis - rank in shape.back:
        return shape.back[axis - rank]
    return symbol(f"size[{axis - rank}]", 1)


def _is_trial(term: Any) -> bool:
    return isinstance(term, Poly) and any(s.name.startswith("size[") for s in term.symbols)
