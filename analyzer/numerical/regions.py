"""A value region by region: what is known of part of a tensor, traced back through layout operators.

DEBAR keeps an affine expression for each block (section 4.2). Here blocks are looked at when a proof needs them: part
of a concatenation is its operand, part of a slice is part of its source, and element-wise operators are applied again
to the parts. The results are numbered like any value, so that relations hold between parts as between whole tensors.

The fact ``parts: (axis, sizes, tensors)`` marks a concatenation; ``window: (source, offsets, kept)`` a result whose
axis i shows axis ``kept[i]`` of `source` from ``offsets[kept[i]]`` on (a tuple lists the index of each element; None
stands for an axis of its own); source axes that are not kept show one index. ``seen: (part, kept)`` is all of a part
under such axes.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from analyzer.numerical.domain import dims
from analyzer.numerical.domain.dims import Dim, Shape, broadcast_shapes
from analyzer.numerical.domain.tensor import AbstractTensor, bounds_on, rebuilt_axis
from analyzer.numerical.reduced_axes import UNKNOWN, reduction_axes, softmax_axes
from analyzer.numerical.result import Partitioning
from analyzer.numerical.splitting import proves_by_splitting

if TYPE_CHECKING:
    from analyzer.numerical.interpreter import Run

Span = tuple[int, int | None]  # first index, and the one behind the last (None: to the end)
Region = tuple[Span, ...]
WHOLE: Span = (0, None)
MAX_DEPTH = 80  # operators followed back; deeper relations were never needed, and Python's stack ends at 1,000
MAX_STEPS = 600  # of one question; what is not answered within them is not known, which is safe
MAX_REGIONS = {Partitioning.SMASH: 0, Partitioning.PARTITION: 32, Partitioning.EXPAND: 4096}


def proves_by_regions(run: Run, operands: tuple[AbstractTensor, ...], safe: Callable[..., bool]) -> bool:
    """Whether `safe` holds of every part of the operands, each part by itself.

    Parts are what layout operators have put together; where that is not enough, the blocks of known bounds as well.
    """
    limit = MAX_REGIONS[run.options.partitioning]
    shape = broadcast_shapes([t.shape for t in operands])
    if not limit or shape is None:
        return False
    tried: list[set[int]] = []
    for blocks in (False, True):
        view = Regions(run, blocks)
        cuts = [{0} for _ in shape]
        for tensor in operands:
            for axis, found in enumerate(view.cuts(tensor), len(shape) - len(tensor.shape or ())):
                cuts[axis] |= found
        if run.options.partitioning is Partitioning.EXPAND:
            cuts = [set(range(d)) if isinstance(d, int) else own for d, own in zip(shape, cuts, strict=True)]
        if not view.layouts or cuts == tried:
            return False
        tried = cuts
        regions = list(itertools.islice(_regions(cuts, shape), limit + 1))
        if len(regions) <= limit and _holds_everywhere(view, operands, safe, shape, regions):
            return True
    return False


def _holds_everywhere(
    view: Regions, operands: tuple[AbstractTensor, ...], safe: Callable[..., bool], shape: Shape, regions: list[Region]
) -> bool:
    run = view.run
    with run.ledger.quietly():
        for region in regions:
            parts = tuple(view.part(t, _operand_region(t, shape, region)) for t in operands)
            if not safe(*parts) and not (run.options.splitting and proves_by_splitting(run, parts, safe)):
                return False
    return True


def _regions(cuts: Sequence[set[int]], shape: Shape) -> Any:
    spans = []
    for own, size in zip(cuts, shape, strict=True):
        edges = sorted(c for c in own if c < dims.high(size) or c == 0)
        ends: list[int | None] = [*edges[1:], None]
        spans.append(list(zip(edges, ends, strict=True)))
    return itertools.product(*spans)


def _operand_region(tensor: AbstractTensor, shape: Shape, region: Region) -> Region:
    """The region of an operand that broadcasts to `shape`."""
    assert tensor.shape is not None
    lead = len(shape) - len(tensor.shape)
    return tuple(WHOLE if d == 1 else region[lead + i] for i, d in enumerate(tensor.shape))


class Regions:
    """Parts of the values of one run."""

    def __init__(self, run: Run, blocks: bool) -> None:
        self.run, self.blocks = run, blocks  # whether blocks of known bounds are parts
        self.layouts = False  # some layout operator has been passed
        self._parts: dict[tuple[int, Region], AbstractTensor] = {}
        self._cuts: dict[int, list[set[int]]] = {}
        self._seen: dict[tuple[Any, ...], AbstractTensor] = {}
        self._steps = 0

    # -- where tensors consist of parts ------------------------------------------------------------------------------

    def cuts(self, tensor: AbstractTensor, depth: int = 0) -> list[set[int]]:
        """For each axis the indices at which something else begins."""
        assert tensor.shape is not None
        known = self._cuts.get(tensor.key)
        if known is not None:
            return known
        result = [{0} if tensor.starts is None else set(tensor.starts[i]) for i in range(len(tensor.shape))]
        if tensor.data is not None or not self.blocks:  # the elements of a constant need no blocks
            result = [{0} for _ in tensor.shape]
        self._cuts[tensor.key] = result
        if depth < MAX_DEPTH and len(self._cuts) < MAX_STEPS:
            self._inherit(tensor, result, depth + 1)
        return result

    def _inherit(self, tensor: AbstractTensor, result: list[set[int]], depth: int) -> None:
        parts, window, origin = tensor.facts.get("parts"), tensor.facts.get("window"), tensor.origin
        if parts is not None:
            self.layouts = True
            axis, sizes, tensors = parts
            offset = 0
            for size, part in zip(sizes, tensors, strict=True):
                for i, own in enumerate(self.cuts(part, depth)):
                    result[i] |= {c + offset for c in own} if i == axis else own
                offset += size
        elif window is not None:
            self.layouts = True
            source, offsets, kept = window
            found = self.cuts(source, depth)
            for i, axis in enumerate(kept):
                if axis is None or source.shape[axis] == 1:
                    continue
                offset = offsets[axis]
                if isinstance(offset, tuple):
                    result[i] |= set(range(len(offset)))
                else:
                    result[i] |= {c - offset for c in found[axis] if c > offset}
        elif origin is not None and origin.rule.name in ("Reshape", "Flatten"):
            self.layouts = True
            source = origin.inputs[0]
            common = _common_axes(source.shape, tensor.shape)
            if common is not None:
                found = self.cuts(source, depth)
                for new, old in common.items():
                    result[new] |= found[old]
        elif origin is not None:
            for operand, axes in self._operands(tensor):
                for i, own in enumerate(self.cuts(operand, depth)):
                    if axes[i] is not None and operand.shape is not None and operand.shape[i] != 1:
                        result[axes[i]] |= own

    def _operands(self, tensor: AbstractTensor) -> list[tuple[AbstractTensor, list[Any]]]:
        """The operands whose parts make parts of the result, each with the result's axis for each of its own."""
        origin = tensor.origin
        tensors = [i for i in origin.inputs if isinstance(i, AbstractTensor)]
        if origin.rule.elementwise and origin.rule.pure and tensor.shape is not None:
            rank = len(tensor.shape)
            if any(t.shape is None or len(t.shape) > rank for t in tensors) or _rowwise(origin, tensors):
                return []
            return [(t, [rank - len(t.shape) + i for i in range(len(t.shape))]) for t in tensors if t.shape is not None]
        reduced = self._reduced_axes(tensor)
        if reduced is None:
            return []
        axes, kept = reduced
        x = tensors[0]
        left = [a for a in range(len(x.shape or ())) if kept or a not in axes]
        return [(x, [None if a in axes else left.index(a) for a in range(len(x.shape or ()))])]

    def _reduced_axes(self, tensor: AbstractTensor) -> tuple[tuple[int, ...], bool] | None:
        """The axes that a reduction or a softmax takes together, and whether they remain; None for anything else."""
        origin = tensor.origin
        if not origin.inputs:
            return None
        name, context, x = origin.rule.name, origin.context, origin.inputs[0]
        if not isinstance(x, AbstractTensor) or x.shape is None:
            return None
        if name in ("Softmax", "LogSoftmax"):
            axes: Any = softmax_axes(context, x)
            return None if axes is None else (tuple(axes), True)
        if origin.rule.family not in ("reductions", "norms") or name == "L2Loss":
            return None
        axes, kept = reduction_axes(context, x, origin.inputs[1] if len(origin.inputs) > 1 else None)
        if axes is UNKNOWN:
            return None
        return (tuple(range(len(x.shape))) if axes is None else tuple(axes)), kept

    # -- the parts themselves ----------------------------------------------------------------------------------------

    def part(self, tensor: AbstractTensor, region: Region, depth: int = 0) -> AbstractTensor:
        """What is known of the elements of `tensor` in `region`."""
        assert tensor.shape is not None
        region = tuple(
            (a, None if b is not None and b >= dims.high(d) else b)
            for (a, b), d in zip(region, tensor.shape, strict=True)
        )
        known = self._parts.get((tensor.key, region))
        if known is not None:
            return known
        self._steps += 1
        result = None
        if depth < MAX_DEPTH and self._steps < MAX_STEPS and tensor.data is None:
            result = self._from_parts(tensor, region, depth + 1)
        if result is None:
            result = self._restricted(tensor, region)
        self._parts[tensor.key, region] = result
        return result

    def _from_parts(self, tensor: AbstractTensor, region: Region, depth: int) -> AbstractTensor | None:
        parts, window, origin = tensor.facts.get("parts"), tensor.facts.get("window"), tensor.origin
        if parts is not None:
            return self._of_concatenation(parts, region, depth)
        if window is not None:
            return self._of_window(tensor, window, region, depth)
        if origin is None or not origin.rule.pure:
            return None
        if origin.rule.name in ("Reshape", "Flatten"):
            return self._of_reshape(tensor, region, depth)
        operands = self._operands(tensor)
        if not operands:
            return None
        replaced: dict[int, AbstractTensor] = {}
        for operand, axes in operands:
            spans = []
            for i, size in enumerate(operand.shape or ()):
                span = WHOLE if axes[i] is None else region[axes[i]]
                if size == 1:
                    span = WHOLE
                elif span != WHOLE and size != tensor.shape[axes[i]]:  # type: ignore[index]  # may be broadcast
                    return None
                spans.append(span)
            replaced[id(operand)] = self.part(operand, tuple(spans), depth)
        inputs = tuple(replaced.get(id(i), i) for i in origin.inputs)
        if all(a is b for a, b in zip(inputs, origin.inputs, strict=True)):
            return tensor
        return self._applied(origin, inputs)

    def _applied(self, origin: Any, inputs: tuple[Any, ...]) -> AbstractTensor | None:
        results = origin.rule.function(origin.context, *inputs)
        result = results[origin.output] if isinstance(results, tuple) else results
        if not isinstance(result, AbstractTensor):
            return None
        if origin.context.bad:
            origin.context.with_bad_results(result)
        self.run.finish(origin.context, inputs, origin.output, result)
        return result

    def _of_concatenation(self, parts: Any, region: Region, depth: int) -> AbstractTensor | None:
        axis, sizes, tensors = parts
        start, end = region[axis]
        offset = 0
        for size, part in zip(sizes, tensors, strict=True):
            if start >= offset and (end if end is not None else sum(sizes)) <= offset + size:
                stop = None if end is None else end - offset
                inner = tuple((start - offset, stop) if i == axis else s for i, s in enumerate(region))
                return self.part(part, inner, depth)
            offset += size
        return None

    def _of_window(self, tensor: AbstractTensor, window: Any, region: Region, depth: int) -> AbstractTensor | None:
        source, offsets, kept = window
        spans: list[Span] = []
        for axis, size in enumerate(source.shape):
            offset = offsets[axis]
            if axis not in kept:
                first = offset[0] if isinstance(offset, tuple) else offset
                spans.append((first, first + 1))
                continue
            place = kept.index(axis)
            start, end = region[place]
            shown = tensor.shape[place]  # type: ignore[index]
            if size == 1:
                spans.append(WHOLE)
            elif isinstance(offset, tuple):
                picked = offset[start:end]
                if any(b != a + 1 for a, b in itertools.pairwise(picked)):
                    return None
                spans.append((picked[0], picked[-1] + 1))
            elif end is None and not isinstance(shown, int):
                spans.append((offset + start, None))
            else:
                spans.append((offset + start, offset + (shown if end is None else end)))
        inner = self.part(source, tuple(spans), depth)
        return self._rearranged(
            inner, kept, tuple(_length(d, s) for d, s in zip(tensor.shape or (), region, strict=True))
        )

    def _rearranged(self, inner: AbstractTensor, kept: tuple[int | None, ...], shape: Shape) -> AbstractTensor:
        """A part of a source under the axes of the window through which it is seen."""
        if kept == tuple(range(len(inner.shape or ()))) and shape == inner.shape:
            return inner
        identity = ("seen", inner.key, kept, tuple(dims.name(d) for d in shape))
        known = self._seen.get(identity)
        if known is None:
            known = self._seen[identity] = self._seen_apart(inner, kept, shape) or self._seen_whole(
                inner, kept, shape, identity
            )
        return known

    def _seen_apart(self, inner: AbstractTensor, kept: tuple[int | None, ...], shape: Shape) -> AbstractTensor | None:
        """Element by element from what its operands show under the same axes; None where it was not made so."""
        origin = inner.origin
        self._steps += 1
        if origin is None or not (origin.rule.elementwise and origin.rule.pure) or self._steps > MAX_STEPS:
            return None
        tensors = [t for t in origin.inputs if isinstance(t, AbstractTensor)]
        single = [t.shape is not None and len(t.shape) <= len(shape) and set(t.shape) <= {1} for t in tensors]
        if _rowwise(origin, tensors) or not all(
            t.shape == inner.shape or one for t, one in zip(tensors, single, strict=True)
        ):
            return None
        inputs = tuple(
            self._rearranged(t, kept, shape) if isinstance(t, AbstractTensor) and t.shape == inner.shape else t
            for t in origin.inputs
        )
        result = self._applied(origin, inputs)
        if result is None or result.shape != shape:
            return None
        result.lo, result.hi = np.maximum(result.lo, inner.low), np.minimum(result.hi, inner.high)
        return result

    def _seen_whole(
        self, inner: AbstractTensor, kept: tuple[int | None, ...], shape: Shape, identity: tuple[Any, ...]
    ) -> AbstractTensor:
        result = AbstractTensor(
            inner.dtype, shape, *bounds_on(inner, None), None, inner.nan, self.run.number(identity), final=True
        )
        if inner.form is not None and self.run.options.affine:
            result.form = self.run.selected(inner, result, lambda key: ("seen", key, kept, identity[3]))
        result.facts = {"seen": (inner, kept)}
        return result

    def _of_reshape(self, tensor: AbstractTensor, region: Region, depth: int) -> AbstractTensor | None:
        """Regions along axes that the reshape leaves alone."""
        source = tensor.origin.inputs[0]
        common = _common_axes(source.shape, tensor.shape)
        if common is None or any(s != WHOLE and i not in common for i, s in enumerate(region)):
            return None
        spans = [WHOLE] * len(source.shape)
        for new, old in common.items():
            spans[old] = region[new]
        inner = self.part(source, tuple(spans), depth)
        if inner is source:
            return tensor
        shape = tuple(_length(d, s) for d, s in zip(tensor.shape or (), region, strict=True))
        return self._rearranged(inner, (None,) * len(shape), shape)

    def _restricted(self, tensor: AbstractTensor, region: Region) -> AbstractTensor:
        """The tensor's own bounds in the region."""
        assert tensor.shape is not None
        if all(span == WHOLE for span in region):
            return tensor
        shape = tuple(_length(d, s) for d, s in zip(tensor.shape, region, strict=True))
        lo, hi, starts = tensor.lo, tensor.hi, tensor.starts
        for axis, (start, end) in enumerate(region):
            if starts is not None and (start, end) != WHOLE:
                piece = AbstractTensor(tensor.dtype, None, lo, hi, starts)
                starts, lo, hi = rebuilt_axis(piece, axis, start, end)
        key = self.run.number(("region", tensor.key, region))
        data = tensor.data
        if data is not None and np.ndim(data) == len(region):
            data = np.asarray(data)[tuple(slice(a, b) for a, b in region)]
            if data.size and data.dtype.kind in "iufb" and not tensor.nan:
                lo, hi, starts = np.float64(data.min()), np.float64(data.max()), None
        return AbstractTensor(tensor.dtype, shape, lo, hi, starts, tensor.nan, key, data=data, final=True)


def _rowwise(origin: Any, tensors: list[AbstractTensor]) -> bool:
    """Element-wise operators whose operands do not broadcast from the right."""
    context = origin.context
    if origin.rule.name == "BiasAdd":
        return str(context.attr("data_format", "NHWC")).startswith("NC")
    return context.op == "Select" and tensors[0].rank != tensors[1].rank


def _common_axes(old: Shape | None, new: Shape | None) -> dict[int, int] | None:
    """New axis -> old axis for the leading and trailing axes that a reshape leaves alone."""
    if old is None or new is None:
        return None
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    common = {i: i for i in range(head)}
    common.update({len(new) - 1 - i: len(old) - 1 - i for i in range(tail)})
    return common


def _length(size: Dim, span: Span) -> Dim:
    start, end = span
    if end is not None:
        return end - start
    return size if not start else dims.affine(size, -start, 1)
