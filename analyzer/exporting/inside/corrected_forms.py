"""ONNX forms in place of the exporter's own where those contradict themselves or refuse what torch runs.

Operands of several element types are brought to the one that torch computes with, which torch itself is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any


def table(torch: Any) -> dict[Any, Callable[..., Any]]:
    """Torch overload -> function over ONNX operators."""
    import onnx_ir as ir
    from onnxscript import opset18 as op
    from onnxscript.function_libs.torch_lib.ops import core, nn

    def likeness(x: Any) -> Any:
        """A small tensor of the element type and rank of `x`: whatever is longer than 1 has size 2."""
        return torch.ones([1 if size == 1 else 2 for size in x.shape], dtype=ir.tensor_adapters.to_torch_dtype(x.dtype))

    def computed_with(function: Callable[..., Any], *operands: Any) -> Any:
        """The element type of the result, or None where torch refuses the operands or they are not known."""
        if any(x.dtype is None or x.shape is None for x in operands):
            return None
        try:
            made = function(*map(likeness, operands))
        except (RuntimeError, NotImplementedError):  # also of element types that this processor has no kernel for
            return None
        return ir.tensor_adapters.from_torch_dtype(made.dtype)

    def brought(x: Any, kind: Any) -> Any:
        return x if kind is None or x.dtype == kind else op.Cast(x, to=kind)

    def power(self: Any, exponent: Any) -> Any:
        """ONNX's result has the type of the base."""
        return op.Pow(brought(self, computed_with(torch.pow, self, exponent)), exponent)

    def einsum(equation: str, tensors: Sequence[Any], path: Any = None) -> Any:
        """Factors that torch only multiplies may have several types, those that it sums over may not."""
        kind = None
        if len({x.dtype for x in tensors}) > 1:
            kind = computed_with(lambda *likenesses: torch.einsum(equation, *likenesses), *tensors)
        return op.Einsum(*(brought(x, kind) for x in tensors), equation=equation)

    def conv3d(input: Any, weight: Any, bias: Any = None, *rest: Any, **named: Any) -> Any:
        """The exporter's own zeros in the place of a bias are a table of two columns."""
        if bias is None:
            bias = op.Expand(op.CastLike(0.0, input), op.Shape(weight, start=0, end=1))
        return core.aten_conv3d(input, weight, bias, *rest, **named)

    def widened(x: Any) -> Any:
        """With four axes; what the exporter's form goes by is told of the result."""
        more = 4 - len(x.shape)
        if not more:
            return x
        wide = op.Unsqueeze(x, op.Constant(value_ints=list(range(more))))
        wide.shape, wide.dtype = ir.Shape([*[1] * more, *x.shape]), x.dtype
        return wide

    def attention(query: Any, key: Any, value: Any, attn_mask: Any = None, *rest: Any, **named: Any) -> Any:
        """Of fewer than four axes, as of a batch (and a head) of 1: the exporter asks for four."""
        ranks = [len(x.shape) for x in (query, key, value)]
        if max(ranks) < 4:
            query, key, value = map(widened, (query, key, value))
            attn_mask = widened(attn_mask) if attn_mask is not None else None
        result = nn.aten_scaled_dot_product_attention(query, key, value, attn_mask, *rest, **named)
        return op.Squeeze(result, op.Constant(value_ints=list(range(4 - max(ranks))))) if max(ranks) < 4 else result

    def embedding_bag(
        weight: Any,
        indices: Any,
        offsets: Any,
        scale_grad_by_freq: bool = False,
        mode: int = 0,
        sparse: bool = False,
        per_sample_weights: Any = None,
        include_last_offset: bool = False,
        padding_idx: int | None = None,
    ) -> Any:
        """Sums, means or maxima of bags of rows, 0 of an empty bag: which index lies in which bag is a matrix.

        The exporter's own form loops over the bags and divides by the size of an empty one.
        """
        axis, ends = op.Constant(value_ints=[1]), op.Constant(value_ints=[9223372036854775807])
        rows, size = op.Gather(weight, indices), op.Size(indices)
        starts = op.Cast(offsets, to=ir.DataType.INT64)
        last = op.Reshape(size, op.Constant(value_ints=[1]))
        later = op.Slice(starts, op.Constant(value_ints=[1]), ends, op.Constant(value_ints=[0]))
        if include_last_offset:
            starts = op.Slice(starts, op.Constant(value_ints=[0]), op.Constant(value_ints=[-1]))
        else:
            later = op.Concat(later, last, axis=0)
        place = op.Range(op.Constant(value_int=0), size, op.Constant(value_int=1))
        inside = op.And(op.GreaterOrEqual(place, op.Unsqueeze(starts, axis)), op.Less(place, op.Unsqueeze(later, axis)))
        if padding_idx is not None and padding_idx >= 0:
            padding = op.CastLike(op.Constant(value_int=padding_idx), indices)
            inside = op.And(inside, op.Not(op.Equal(indices, padding)))
        taken = op.CastLike(inside, weight)
        counts = op.ReduceSum(taken, axis, keepdims=1)
        if mode == 2:
            chosen = op.Where(
                op.Unsqueeze(inside, op.Constant(value_ints=[2])),
                op.Unsqueeze(rows, op.Constant(value_ints=[0])),
                op.CastLike(op.Constant(value_float=-float("inf")), weight),
            )
            result = op.Where(
                op.Greater(counts, op.CastLike(0, counts)),
                op.ReduceMax(chosen, axes=[1], keepdims=0),
                op.CastLike(0, weight),
            )
        else:
            if per_sample_weights is not None:
                rows = op.Mul(rows, op.Unsqueeze(per_sample_weights, axis))
            result = op.MatMul(taken, rows)
            result = op.Div(result, op.Max(counts, op.CastLike(1, counts))) if mode == 1 else result
        # What torch tells beside the bags has sizes of its own, which depend on the mode: nobody reads it.
        beside = [op.Reshape(op.Cast(counts, to=ir.DataType.INT64), op.Constant(value_ints=[-1])) for _ in range(3)]
        return result, *beside

    aten = torch.ops.aten
    return {
        aten.pow.Tensor_Tensor: power,
        aten.einsum.default: einsum,
        aten.conv3d.default: conv3d,
        aten.scaled_dot_product_attention.default: attention,
        aten.embedding_bag.padding_idx: embedding_bag,
        aten._embedding_bag.default: embedding_bag,
        aten._embedding_bag_forward_only.default: embedding_bag,
    }
