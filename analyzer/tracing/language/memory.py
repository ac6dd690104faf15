"""What is written into the memory of tensors, which several of them may share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from analyzer.tracing.language.tensors import Shape, Tensor
from analyzer.tracing.language.values import ListV, Value
from analyzer.tracing.paths.tracer import Tracer


def write(tr: Tracer, tensor: Tensor, followed: bool = True) -> None:
    """Call where the elements of a tensor change: those that were known of it and of its views are so no longer.

    `followed`: a run on made-up numbers computes itself what is written.
    """
    if tr.sampler is not None and not followed and not tr.speculating:
        tr.sampler.spoil(tensor)
    tr.touch(tensor.memory)
    tensor.memory.writes += 1


def write_results(tr: Tracer, named: Mapping[str, Value], result: Value) -> None:
    """``out=`` is where a function writes its result; torch gives it the result's sizes, numpy refuses others."""
    for target, made in zip(_parts(named.get("out")), _parts(result), strict=False):
        if isinstance(target, Tensor):
            write(tr, target)
            if tr.sampler is not None and isinstance(made, Tensor) and not tr.speculating:
                tr.sampler.write_result(target, made)
            if isinstance(made, Tensor) and made is not target:  # which is the target itself
                made.memory, made.dtype = target.memory, target.dtype
            if target.framework == "torch":
                _resize(tr, target, made)


def _resize(tr: Tracer, target: Tensor, made: Value) -> None:
    sizes = made.dims if isinstance(made, Tensor) else None
    if sizes is None or sizes != target.dims:
        tr.touch(target)
        target.shape, target.strides = Shape(sizes, vague=sizes is None), None


def _parts(value: Value) -> Iterable[Value]:
    return value.items if isinstance(value, ListV) else value if isinstance(value, tuple) else (value,)


def written_in_place(tr: Tracer, target: Tensor, result: Tensor) -> None:
    """``target += …``: the result lies where the target does."""
    elements = result.value
    write(tr, target)
    result.memory = target.memory
    result.value = elements
