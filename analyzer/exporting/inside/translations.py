"""ONNX forms of Torch operators that keep Torch's numerical behaviour.

Torch computes these without intermediate overflow, division by zero or logarithm of zero; the exporter's own forms do
not (``log_sigmoid(x)`` would become ``Log(Sigmoid(x))``, which is -inf below -104), and an analysis would report a
problem that the model does not have. The same holds for gradients: Torch's own formulas for `binary_cross_entropy`
and for a standard deviation of 0 are finite, those of their parts are not. Operators that the exporter has no form for
at all stand here as well.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from . import opaque


def table(torch: Any) -> dict[Any, Callable[..., Any]]:
    """Torch overload -> function over ONNX operators, for ``custom_translation_table``."""
    import numpy as np
    import onnx_ir as ir
    from onnxscript import opset18 as op

    def log_sigmoid(self: Any) -> Any:
        return op.Sub(op.Min(self, op.CastLike(0.0, self)), op.Log(op.Add(op.Exp(op.Neg(op.Abs(self))), 1.0)))

    def logaddexp(self: Any, other: Any) -> Any:
        apart = op.Abs(op.Sub(self, other))
        return op.Add(op.Max(self, other), op.Log(op.Add(op.Exp(op.Neg(apart)), 1.0)))

    def logaddexp2(self: Any, other: Any) -> Any:
        apart = op.Mul(op.Abs(op.Sub(self, other)), math.log(2))
        return op.Add(op.Max(self, other), op.Div(op.Log(op.Add(op.Exp(op.Neg(apart)), 1.0)), math.log(2)))

    def xlogy(self: Any, other: Any) -> Any:
        zero = op.CastLike(0.0, self)
        absent = op.Equal(self, zero)
        return op.Where(absent, zero, op.Mul(self, op.Log(op.Where(absent, op.CastLike(1.0, other), other))))

    def entropy(self: Any) -> Any:
        """``-x log x``, of negative numbers -inf."""
        zero = op.CastLike(0.0, self)
        return op.Where(op.Less(self, zero), op.CastLike(-math.inf, self), op.Neg(xlogy(self, self)))

    def atan2(self: Any, other: Any) -> Any:
        zero = op.CastLike(0.0, self)
        upright = op.Equal(other, zero)
        angle = op.Atan(op.Div(self, op.Where(upright, op.CastLike(1.0, other), other)))
        behind = op.Where(op.Less(self, zero), op.Sub(angle, math.pi), op.Add(angle, math.pi))
        turned = op.Where(op.Less(other, zero), behind, angle)
        return op.Where(upright, op.Mul(op.Sign(self), math.pi / 2), turned)

    def limited_log(x: Any) -> Any:
        """``max(log(x), -100)`` that never takes the logarithm of 0."""
        absent = op.LessOrEqual(x, op.CastLike(math.exp(-87), x))
        log = op.Max(op.Log(op.Where(absent, op.CastLike(1.0, x), x)), op.CastLike(-100.0, x))
        return op.Where(absent, op.CastLike(-100.0, x), log)

    def binary_cross_entropy(self: Any, target: Any, weight: Any = None, reduction: int = 1) -> Any:
        left = op.Mul(op.Sub(target, op.CastLike(1.0, target)), limited_log(op.Sub(op.CastLike(1.0, self), self)))
        loss = op.Sub(left, op.Mul(target, limited_log(self)))
        if weight is not None:
            loss = op.Mul(loss, weight)
        return {0: op.Identity, 1: _mean, 2: _sum}[reduction](loss)

    def _mean(x: Any) -> Any:
        return op.ReduceMean(x, keepdims=False)

    def _sum(x: Any) -> Any:
        return op.ReduceSum(x, keepdims=False)

    def mean(self: Any, dim: Any = None, keepdim: bool = False, dtype: Any = None) -> Any:
        """Over everything where no axis is named: the exporter's own form has a reshape of nothing then."""
        if dtype is not None:
            self = op.Cast(self, to=dtype)
        axes = op.Constant(value_ints=[dim] if isinstance(dim, int) else list(dim)) if dim is not None else None
        return op.ReduceMean(self, axes, keepdims=keepdim)

    def extreme(reduce: Callable[..., Any]) -> Callable[..., Any]:
        """Over everything where no axis is named: the exporter's own form asks for axes."""

        def reduced(self: Any, dim: Any = None, keepdim: bool = False) -> Any:
            named = [dim] if isinstance(dim, int) else list(dim or ())
            return reduce(self, op.Constant(value_ints=named) if named else None, keepdims=keepdim)

        return reduced

    def std(self: Any, dim: Any = None, correction: Any = None, keepdim: bool = False) -> Any:
        from onnxscript.function_libs.torch_lib.ops import core

        variance = core.aten_var_correction(self, dim, correction, keepdim)
        zero = op.CastLike(0.0, variance)
        constant = op.Equal(variance, zero)
        return op.Where(constant, zero, op.Sqrt(op.Where(constant, op.CastLike(1.0, variance), variance)))

    def distances(x1: Any, x2: Any, p: float, compute_mode: Any = None) -> Any:
        apart = op.Sub(op.Unsqueeze(x1, op.Constant(value_ints=[-2])), op.Unsqueeze(x2, op.Constant(value_ints=[-3])))
        last = op.Constant(value_ints=[-1])
        if p == 1:
            return op.ReduceL1(apart, last, keepdims=False)
        if p == 2:
            return op.ReduceL2(apart, last, keepdims=False)
        if p == math.inf:
            return op.ReduceMax(op.Abs(apart), last, keepdims=False)
        return opaque.translation(aten._cdist_forward.default)(x1, x2, p, compute_mode)

    def uniform(self: Any, low: float = 0.0, high: float = 1.0) -> Any:
        return op.RandomUniformLike(self, low=float(low), high=float(high))

    def exponential(self: Any, lambd: float = 1.0) -> Any:
        """Torch draws from (0, 53 ln 2]: neither 0 nor infinity."""
        least = 2.0**-53
        draw = op.Neg(op.Log(op.RandomUniformLike(self, low=least, high=1.0)))
        return op.Div(op.Add(draw, op.CastLike(least, self)), op.CastLike(float(lambd), self))

    def product(inp: Any, dims: Any = None, output_dtype: Any = None) -> Any:
        if dims is None:
            return op.ReduceProd(inp, keepdims=False)
        return op.ReduceProd(inp, op.Constant(value_ints=list(dims)), keepdims=False)

    def squeeze(self: Any, dim: Any) -> Any:
        """Without the given axes as far as they have size 1: of others torch's squeeze does nothing."""
        shape = self.shape
        wanted = [dim] if isinstance(dim, int) else list(dim)
        gone = sorted({d % len(shape) for d in wanted if len(shape)}) if shape is not None else wanted
        gone = [d for d in gone if shape is None or shape[d] == 1]
        return op.Squeeze(self, op.Constant(value_ints=gone)) if gone else op.Identity(self)

    def diagonal(self: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
        """Its elements themselves; the exporter's own form adds products with 0, which of infinities are NaN."""
        from onnxscript.function_libs.torch_lib.ops import core

        shape = list(self.shape)
        axes = [dim1 % len(shape), dim2 % len(shape)]
        rows, columns = (shape[axis] for axis in axes)
        if not isinstance(rows, int) or not isinstance(columns, int):
            return core.aten_diagonal(self, offset, dim1, dim2)
        order = [axis for axis in range(len(shape)) if axis not in axes] + axes
        ordered = self if order == list(range(len(shape))) else op.Transpose(self, perm=order)
        flat = op.Reshape(ordered, op.Constant(value_ints=[*[0] * (len(shape) - 2), rows * columns]))
        places = np.flatnonzero(np.eye(rows, columns, offset))
        return op.Gather(flat, op.Constant(value=ir.tensor(places)), axis=-1)

    def sinc(self: Any) -> Any:
        """The guard tests what is divided by: of a denormal number the product with pi may be 0."""
        angle = op.Mul(self, math.pi)
        absent = op.Equal(angle, op.CastLike(0.0, angle))
        one = op.CastLike(1.0, angle)
        turn = op.Where(absent, one, angle)
        return op.Where(absent, one, op.Div(op.Sin(turn), turn))

    def histogram(self: Any, bins: int = 100, min: float = 0, max: float = 0) -> Any:
        """Counts, each by itself: the exporter's own form subtracts totals; between data's ends it has none."""
        if min == max:
            return opaque.translation(aten.histc.default)(self, bins, min=min, max=max)
        flat = op.Unsqueeze(op.Reshape(self, op.Constant(value_ints=[-1])), op.Constant(value_ints=[1]))
        place = op.Div(op.Mul(op.Sub(flat, float(min)), float(bins)), float(max) - float(min))
        place = op.Min(op.Floor(place), op.CastLike(bins - 1.0, self))  # the last part holds its upper end too
        within = op.And(op.GreaterOrEqual(flat, float(min)), op.LessOrEqual(flat, float(max)))
        numbers = op.CastLike(op.Constant(value=ir.tensor(np.arange(bins, dtype=np.float32))), self)
        counted = op.CastLike(op.And(within, op.Equal(place, numbers)), self)
        return op.ReduceSum(counted, op.Constant(value_ints=[0]), keepdims=False)

    def diagonal_scatter(self: Any, src: Any, offset: int = 0, dim1: int = 0, dim2: int = 1) -> Any:
        """``x.diagonal().pow_(2)`` as torch functionalises it; its own decomposition copies in place."""
        shape = list(self.shape)
        axes = [dim1 % len(shape), dim2 % len(shape)]
        rows, columns = (shape[axis] for axis in axes)
        if not isinstance(rows, int) or not isinstance(columns, int):
            raise NotImplementedError("diagonal_scatter of a size that is not known")
        i, j = np.indices((rows, columns))
        on = j - i == offset
        place = np.where(on, i if offset >= 0 else j, 0)
        order = [axis for axis in range(len(shape)) if axis not in axes] + axes
        spread = op.Gather(src, op.Constant(value=ir.tensor(place)), axis=-1)
        changed = op.Where(op.Constant(value=ir.tensor(on)), spread, op.Transpose(self, perm=order))
        return op.Transpose(changed, perm=[order.index(axis) for axis in range(len(shape))])

    def nan_to_num(self: Any, nan: Any = None, posinf: Any = None, neginf: Any = None) -> Any:
        limit = {"FLOAT16": 65504.0, "DOUBLE": 1.7976931348623157e308, "BFLOAT16": 3.3895313892515355e38}
        largest = limit.get(self.dtype.name, 3.4028234663852886e38)
        wide = self.dtype.name == "DOUBLE"

        def number(x: float) -> Any:
            return op.Constant(value=ir.tensor(np.array(x))) if wide else op.CastLike(float(x), self)

        known = op.Where(op.IsNaN(self), number(0.0 if nan is None else nan), self)
        return op.Clip(
            known, number(-largest if neginf is None else neginf), number(largest if posinf is None else posinf)
        )

    def bucketize(self: Any, boundaries: Any, out_int32: bool = False, right: bool = False) -> Any:
        """How many boundaries lie below: its decomposition reads the numbers of a single one, which tracing refuses."""
        each = op.Unsqueeze(self, op.Constant(value_ints=[-1]))
        beyond = op.Greater(boundaries, each) if right else op.GreaterOrEqual(boundaries, each)
        passed = op.Cast(op.Not(beyond), to=ir.DataType.INT64)
        places = op.ReduceSum(passed, op.Constant(value_ints=[-1]), keepdims=False)
        return op.Cast(places, to=ir.DataType.INT32) if out_int32 else places

    aten = torch.ops.aten
    return {
        aten.bucketize.Tensor: bucketize,
        # Its decomposition subtracts the largest of the whole axis, so that early sums are 0; torch's kernel does not.
        aten.logcumsumexp.default: opaque.translation(aten.logcumsumexp.default),
        # Its decomposition and the exporter's own form overflow in the tail; torch's kernels do not.
        aten.special_log_ndtr.default: opaque.translation(aten.special_log_ndtr.default),
        aten.special_erfcx.default: opaque.translation(aten.special_erfcx.default),
        aten._neg_view.default: lambda self: op.Neg(self),  # the imaginary part of a conjugate
        aten.sinc.default: sinc,
        aten.special_entr.default: entropy,
        aten.histc.default: histogram,
        aten.diagonal.default: diagonal,
        aten.diagonal_copy.default: diagonal,
        aten.nan_to_num.default: nan_to_num,
        aten.diagonal_scatter.default: diagonal_scatter,
        aten.squeeze.dim: squeeze,
        aten.squeeze.dims: squeeze,
        aten.binary_cross_entropy.default: binary_cross_entropy,
        aten.mean.dim: mean,
        aten.std.correction: std,
        aten.amax.default: extreme(op.ReduceMax),
        aten.amin.default: extreme(op.ReduceMin),
        aten._cdist_forward.default: distances,
        aten.uniform.default: uniform,
        aten.exponential.default: exponential,
        torch.ops.prims.prod.default: product,
        aten.log_sigmoid.default: log_sigmoid,
        aten.logaddexp.default: logaddexp,
        aten.logaddexp2.default: logaddexp2,
        aten.xlogy.Tensor: xlogy,
        aten.special_xlogy.default: xlogy,
        aten.atan2.default: atan2,
    }
