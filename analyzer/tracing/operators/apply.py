"""From a call to a refinement type of `analyzer.validity` and back to a traced tensor."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analyzer.tracing.language.tensors import Shape, Tensor
from analyzer.tracing.language.values import Value
from analyzer.tracing.operators import strides
from analyzer.tracing.operators.element_types import default_float
from analyzer.tracing.operators.equations import learn_ranks
from analyzer.tracing.operators.hyperparameters import AUTOCAST, FLOATS, OF_WEIGHTS, OPEN_TYPE, hyperparameters_of
from analyzer.tracing.operators.operands import tensor_of, unknown_tensor
from analyzer.tracing.operators.outcomes import OfAnyRank, outcome_of
from analyzer.tracing.operators.refusals import fail, record
from analyzer.tracing.operators.repair import repair
from analyzer.tracing.operators.spec_facts import defaults_of
from analyzer.tracing.operators.table import Op
from analyzer.tracing.paths.complexity import MOST_PARTS, parts
from analyzer.tracing.paths.tracer import APPLICATION, Tracer
from analyzer.validity.registry import spec as find_spec
from analyzer.validity.spec import TypeStatus
from analyzer.validity.terms import Term

_KEEPING = frozenset(("LayerNorm", "RMSNorm"))  # whatever is normalised, the result has the shape of the input


def apply(
    op: Op,
    framework: str,
    spec_name: str,
    inputs: Sequence[Value],
    hyperparameters: dict[str, Value] | None = None,
    *,
    dtype: str | None = "",
) -> Any:
    """Run the refinement type; the result is a tensor, a tuple of tensors, or an unknown tensor."""
    tr = op.tr
    tr.step(APPLICATION)
    found = find_spec(spec_name, framework)
    tensors = [None if v is None else tensor_of(tr, v, framework) for v in inputs]
    graph = any(t is not None and t.graph for t in tensors)
    sources = tuple(t for t in tensors if t is not None)
    if found is None or any(t is None and v is not None for t, v in zip(tensors, inputs, strict=True)):
        return unknown_tensor(op, framework, sources)
    clean = hyperparameters_of(tr, found, hyperparameters or {}, spec_name)
    if clean is None:
        result = unknown_tensor(op, framework, sources)
        if spec_name in _KEEPING and sources:
            result.shape, result.dtype = sources[0].shape, sources[0].dtype
        return result
    if isinstance(clean.get("equation"), str) and any(t is not None and t.dims is None for t in tensors):
        learn_ranks(op, clean["equation"], tensors)
    stated = clean.get("dtype")
    if stated is OPEN_TYPE:
        del clean["dtype"]
    free = stated is OPEN_TYPE or (stated is None and (tr.types_open or framework != "torch"))
    given = tensors[0].dtype if tensors and tensors[0] is not None else None
    if free and "dtype" in defaults_of(found) and given in OF_WEIGHTS:
        clean["dtype"] = given  # a module may have been moved to another floating type
    outcome = outcome_of(tr, found, tensors, clean, framework)
    if outcome is None or outcome.status is TypeStatus.UNKNOWN:
        return unknown_tensor(op, framework, sources)
    record(op, outcome, sources, graph)
    if outcome.status is TypeStatus.INVALID:
        assert outcome.failure is not None
        fix = repair(op, found, tensors, clean, outcome, framework)
        fail(op, outcome.failure.rule.id, outcome.failure.sentence(), sources, fix, outcome.failure)
    moved = free and not tr.in_definition and framework == "torch" and "dtype" in defaults_of(found)
    lost = set(FLOATS) - {t.dtype for t in sources} if moved or default_float(tr) is None else ()
    results = [
        Tensor(
            Shape(_bounded(tr, t.shape)) if t.shape is not None else _shape_with_last(t.last),
            (None if t.dtype in lost else _element_type(tr, framework, t.dtype)) if dtype == "" else dtype,
            framework,
            site=op.where,
            name="",
            value=t.value,
            sources=sources,
            graph=graph,
        )
        for t in outcome.outputs
        if t is not None
    ]
    if len(results) < len(outcome.outputs):
        return unknown_tensor(op, framework, sources)
    if isinstance(outcome, OfAnyRank):
        results[0].shape = sources[0].shape
    for result in results:
        result.operation, result.places = op.number, op.made
    op.blind = op.blind or any(t.dims is None for t in sources)
    if not tr.speculating:
        tr.pass_operator(op.where, op.name, op.blind)
    if framework == "torch":
        _lay_out(spec_name, sources, clean, results)
    if len(results) == 1:
        return results[0]
    return tuple(results)


def _element_type(tr: Tracer, framework: str, dtype: str | None) -> str | None:
    return None if tr.autocasting and framework == "torch" and dtype in AUTOCAST else dtype


def _bounded(tr: Tracer, dims: tuple[Term, ...]) -> tuple[Term, ...]:
    """Sizes that have become too complicated to reason about are given a name of their own."""
    return tuple(d if isinstance(d, int) or parts(d) <= MOST_PARTS else tr.fresh("size", "derived", 0) for d in dims)


def _lay_out(name: str, sources: Sequence[Tensor], clean: dict[str, Any], results: Sequence[Tensor]) -> None:
    if name in strides.SHARING:
        if sources:
            strides.of_applied(name, sources[0], clean, results)
        return
    for result in results:
        result.strides = strides.of_result(name, sources, result)


def _shape_with_last(last: Any) -> Shape:
    shape = Shape(None)
    if last is not None:
        shape.back[-1] = last
    return shape
