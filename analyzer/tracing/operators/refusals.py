"""What an operator demands of unknown sizes, and its refusal."""

from __future__ import annotations

import re
from functools import partial
from typing import Any

from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.operators.table import Op
from analyzer.tracing.paths.causes import of_operands
from analyzer.tracing.paths.paths import Condition, PathEnd
from analyzer.tracing.paths.problems import Diagnostic, ShapeFailure
from analyzer.tracing.programs.own_sizes import contradicts_itself
from analyzer.validity.spec import Category, CheckResult, Requirement
from analyzer.validity.specs.joining import NOTHING
from analyzer.validity.terms import Cond, Poly, equal


def record(op: Op, outcome: CheckResult, sources: tuple[Tensor, ...], graph: bool) -> None:
    """Keep what the operator still demands of unknown sizes."""
    number, label = op.number, op.layer or op.short
    for requirement in outcome.requirements:
        if requirement.condition is True or requirement.condition is False:
            continue
        if not isinstance(requirement.condition, Cond):
            continue
        op.tr.path.conditions.append(
            Condition(
                requirement.condition, "operator", op.where, requirement.rule.id, partial(_worded, label, requirement),
                op.name, graph, number, tuple((f"operand {i}", t) for i, t in enumerate(sources)), bool(op.tr.doubts),
                _nth(op),
            )
        )  # fmt: skip


def _worded(label: str, requirement: Requirement) -> str:
    return f"{label}: {requirement.sentence()}"


def describe(op: Op, sentence: str) -> str:
    label = op.layer or op.short
    return f"{label}: {sentence}"


def require(op: Op, truth: Any, rule: str, sentence: str, sources: tuple[Tensor, ...] = ()) -> None:
    """A demand that no refinement type states."""
    if truth is True:
        return
    if truth is False:
        fail(op, rule, sentence, sources)
    graph = any(t.graph for t in sources)
    op.tr.path.conditions.append(
        Condition(
            truth, "operator", op.where, rule, describe(op, sentence), op.name, graph, op.number,
            tuple((f"operand {i}", t) for i, t in enumerate(sources)), bool(op.tr.doubts), _nth(op),
        )
    )  # fmt: skip


def require_shape(
    op: Op, tensor: Tensor, expected: tuple[Any, ...], rule: str, sentence: str, of_rank: str = ""
) -> None:
    """A tensor of a known shape has the expected one; `of_rank`: the rule that another number of axes breaks."""
    if tensor.dims is None:
        return
    if len(tensor.dims) != len(expected):
        fail(op, of_rank or rule, sentence, (tensor,))
    for have, want in zip(tensor.dims, expected, strict=True):
        require(op, equal(have, want), rule, sentence, (tensor,))


def _nth(op: Op) -> int:
    return op.tr.passed[op.where.path, op.where.line, op.name]


def require_when_run(op: Op, truth: Any, rule: str, sentence: str, sources: tuple[Tensor, ...]) -> None:
    """A demand that building the graph cannot check, since it does not know all sizes of the operands."""
    if truth is not True:
        op.tr.path.conditions.append(
            Condition(
                truth, "operator", op.where, rule, describe(op, sentence), op.name, True, op.number,
                tuple((f"operand {i}", t) for i, t in enumerate(sources)), bool(op.tr.doubts), deferred=True,
            )
        )  # fmt: skip


def fail(
    op: Op,
    rule: str,
    sentence: str,
    sources: tuple[Tensor, ...] = (),
    fix: Any = None,
    requirement: Requirement | None = None,
) -> None:
    """The operator refuses on this path: raise, as the framework does."""
    tr = op.tr
    if not tr.feasible() or any(_rank_is_guessed(op, t) for t in sources):
        raise PathEnd
    nothing = requirement is not None and requirement.rule is NOTHING
    if nothing and (tr.made_up or not all(d.free or d.origin == "size" for d in tr.path.decisions)):
        raise PathEnd  # the list is empty on a side of a branch that no program may take, or callers fill it
    sentences = [came_from(t, index) for index, t in enumerate(sources) if t.dims is not None]
    sentences += [
        f"The path is taken when {d.text} is {'true' if d.taken else 'false'} (line {d.site.line})."
        for d in tr.path.decisions[-4:]
    ]
    if fix is not None:
        sentences.append(f"Expected here: {fix[2]}.")
    message = describe(op, sentence)
    element = requirement is not None and requirement.rule.category is Category.INCOMPATIBLE_ELEMENT_TYPE
    certain = tr.certain and not any(t.shape.vague for t in sources)
    if nothing and (tr.path.decisions or tr.in_definition):
        certain = False  # what fills the list may stand behind such a branch, or need an optional argument
    name = "tracing/incompatible-element-type" if element else "tracing/incompatible-shape"
    raise ShapeFailure(
        Diagnostic(
            name,
            "error",
            shorten(message),
            op.where,
            op.name,
            tuple(sentences),
            certain,
            fix,
            rule,
            op.layer,
            places=(*op.made, *of_operands(sources)),
            callers=tr.callers(),
            own_sizes=bool(op.layer) and certain and contradicts_itself(tr, rule, sources, _sizes(requirement)),
        )
    )


def _rank_is_guessed(op: Op, tensor: Tensor) -> bool:
    """Whether a branch has told the rank of what this analysis lost: the program's own may have taken another side."""
    symbols = {s.name for dim in tensor.dims or () if isinstance(dim, Poly) for s in dim.symbols}
    return any(op.tr.symbols.kind(name) == "asked" for name in symbols)


def _sizes(requirement: Requirement | None) -> tuple[Any, ...]:
    return tuple(requirement.facts.values()) if requirement is not None else ()


def shorten(text: str) -> str:
    return text if len(text) <= 200 else text[:197] + "…"


_PLACES = ("first", "second", "third", "fourth")


def came_from(tensor: Tensor, index: int) -> str:
    place = f"The {_PLACES[index]} operand" if index < len(_PLACES) else f"Operand {index + 1}"
    name = f"`{tensor.name}`" if re.fullmatch(r"[\w.]+", tensor.name or "") else place
    made = f", made at `{tensor.site.path}:{tensor.site.line}`" if tensor.site else ""
    return f"{name} has the shape {show_shape(tensor.dims or ())}{made}."
