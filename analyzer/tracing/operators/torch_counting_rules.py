"""torch: results whose sizes are counted: windows, differences, quantiles, what data decide."""

from __future__ import annotations

from typing import Any

import numpy as np

from analyzer.tracing.language.tensors import INVENTED, Tensor, show_shape
from analyzer.tracing.language.values import Fields, ListV, Unknown, Value
from analyzer.tracing.operators.apply import apply
from analyzer.tracing.operators.element_types import floating_of, real_of
from analyzer.tracing.operators.elementwise import broadcast
from analyzer.tracing.operators.hyperparameters import plain
from analyzer.tracing.operators.index_values import check_indices
from analyzer.tracing.operators.operands import tensor_of, unknown_tensor
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.torch_operands import axis_of, cast, made, reduced_dims
from analyzer.validity.terms import Poly, equal, floor_div


def _of(op: Op, source: Tensor, dims: Any, dtype: str | None = "") -> Tensor:
    return Tensor(dims, source.dtype if dtype == "" else dtype, "torch", site=op.where, sources=(source,))


def _some(op: Op, label: str) -> Poly:
    """A number that the data decide."""
    return op.tr.fresh(label, "unknown", 0)


_WINDOWS = """hamming hann bartlett blackman cosine exponential gaussian kaiser general_cosine general_hamming
    nuttall"""


@operator(
    " ".join(f"torch.signal.windows.{n}" for n in _WINDOWS.split())
    + " torch.hann_window torch.hamming_window torch.bartlett_window torch.blackman_window torch.kaiser_window",
    "length *rest",
)
def window(op: Op, length: Value, rest: tuple[Value, ...]) -> Value:
    size = op.tr.term_of(length)
    return made(op, None if size is None else (size,), None)


@operator("torch.stft", "input n_fft hop_length=None win_length=None window=None center=True *rest")
def stft(
    op: Op, input: Value, n_fft: Value, hop_length: Value, win_length: Value, window: Value, center: Value,
    rest: tuple[Value, ...],
) -> Value:  # fmt: skip
    source, size = tensor_of(op.tr, input, "torch"), op.tr.term_of(n_fft)
    hop = floor_div(size, 4) if hop_length is None and size is not None else op.tr.term_of(hop_length)
    sided = op.extra.get("onesided", True)
    if source is None or not source.dims or size is None or not isinstance(hop, int) or hop < 1 or rest or (
        not isinstance(center, bool) or sided not in (True, None) or op.extra.get("return_complex") is not True
    ):  # fmt: skip
        return unknown_tensor(op, "torch")
    added = floor_div(size, 2) * 2 if center else 0  # before the first and after the last
    frames = floor_div(source.dims[-1] + added - size, hop) + 1
    whole = (source.dtype or "").startswith("complex")
    rows = size if whole else floor_div(size, 2) + 1
    kind = "complex64" if source.dtype in ("float32", "complex64") else None
    return _of(op, source, (*source.dims[:-1], rows, frames), kind)


@operator("Tensor.unfold", "input dimension size step")
def unfold(op: Op, input: Value, dimension: Value, size: Value, step: Value) -> Value:
    source, width = tensor_of(op.tr, input, "torch"), op.tr.term_of(size)
    axis = None if source is None else axis_of(op, source, dimension)
    if source is None or not source.dims or axis is None or width is None or not isinstance(step, int) or step < 1:
        return unknown_tensor(op, "torch")
    dims = list(source.dims)
    if isinstance(dims[axis], int) and isinstance(width, int) and width > dims[axis]:
        fail(op, "size", f"windows of {width} do not fit into axis {axis} of {show_shape(source.dims)}", (source,))
    dims[axis] = floor_div(dims[axis] - width, step) + 1
    return _of(op, source, (*dims, width))


@operator("torch.rot90", "input k=1 dims=(0,1)")
def rot90(op: Op, input: Value, k: Value, dims: Value) -> Value:
    source, axes = tensor_of(op.tr, input, "torch"), plain(op.tr, dims)
    if source is None or source.dims is None or not isinstance(k, int) or not isinstance(axes, tuple) or len(axes) != 2:
        return unknown_tensor(op, "torch")
    first, second = axis_of(op, source, axes[0]), axis_of(op, source, axes[1])
    if first is None or second is None:
        return unknown_tensor(op, "torch")
    turned = list(source.dims)
    if k % 2:
        turned[first], turned[second] = turned[second], turned[first]
    return _of(op, source, tuple(turned))


@operator("torch.diff", "input n=1 dim=-1 prepend=None append=None")
def diff(op: Op, input: Value, n: Value, dim: Value, prepend: Value, append: Value) -> Value:
    source = tensor_of(op.tr, input, "torch")
    axis = None if source is None else axis_of(op, source, dim)
    if source is None or not source.dims or axis is None or not isinstance(n, int) or (prepend, append) != (None, None):
        return unknown_tensor(op, "torch")
    dims = list(source.dims)
    dims[axis] = dims[axis] - n
    return _of(op, source, tuple(max(d, 0) if isinstance(d, int) else d for d in dims))


@operator("torch.gradient", "input *rest")
def differences(op: Op, input: Value, rest: tuple[Value, ...]) -> Value:
    """One tensor of the shape of `input` for each axis asked for, in a tuple.

    An axis holds one more element than the order of its edges (`pre_check_gradient` in ATen).
    """
    source, dim, order = tensor_of(op.tr, input, "torch"), op.extra.get("dim"), op.extra.get("edge_order", 1)
    if source is None or source.dims is None or order not in (1, 2) or isinstance(op.extra.get("spacing"), Unknown):
        return op.tr.unknown("torch.gradient()", "imprecise")
    asked = tuple(range(len(source.dims))) if dim is None else plain(op.tr, dim)
    given = asked if isinstance(asked, tuple) else (asked,)
    axes = [axis_of(op, source, a) for a in given if isinstance(a, int)]
    if len(axes) != len(given) or None in axes:
        return op.tr.unknown("torch.gradient()", "imprecise")
    if any(isinstance(size, int) and size <= order for size in (source.dims[a] for a in axes if a is not None)):
        fail(op, "size", f"an axis of {show_shape(source.dims)} has less than {order + 1} elements", (source,))
    kind = floating_of(source.dtype)
    return tuple(_of(op, source, source.dims, kind) for _ in axes)


@operator("torch.trapz torch.trapezoid torch.cumulative_trapezoid", "y *rest")
def trapezoid(op: Op, y: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor_of(op.tr, y, "torch")
    axis = None if source is None else axis_of(op, source, op.extra.get("dim", -1))
    if source is None or not source.dims or axis is None:
        return unknown_tensor(op, "torch")
    kind = floating_of(source.dtype)
    if op.short == "cumulative_trapezoid":
        return _of(op, source, tuple(d - 1 if i == axis else d for i, d in enumerate(source.dims)), kind)
    return _of(op, source, reduced_dims(op, source, axis, False), kind)


@operator("torch.var_mean torch.std_mean", "input dim=None *rest")
def spread_and_mean(op: Op, input: Value, dim: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor_of(op.tr, input, "torch")
    if source is None or rest:
        return op.tr.unknown(f"{op.short}()"), op.tr.unknown(f"{op.short}()")
    keep = op.extra.get("keepdim", op.extra.get("keepdims", False))
    dims = reduced_dims(op, source, None if isinstance(dim, bool) else dim, keep)
    return _of(op, source, dims, real_of(source.dtype)), _of(op, source, dims)


@operator("torch.aminmax", "input dim=None keepdim=False")
def aminmax(op: Op, input: Value, dim: Value, keepdim: Value) -> Value:
    source = tensor_of(op.tr, input, "torch")
    if source is None:
        return op.tr.unknown("aminmax()")
    dims = reduced_dims(op, source, dim, keepdim)
    return Fields((_of(op, source, dims), _of(op, source, dims)), ("min", "max"))


@operator("torch.mode Tensor.mode", "input dim=-1 keepdim=False")
def mode(op: Op, input: Value, dim: Value, keepdim: Value) -> Value:
    source = tensor_of(op.tr, input, "torch")
    if source is None:
        return op.tr.unknown("mode()")
    dims = reduced_dims(op, source, dim, keepdim)
    return Fields((_of(op, source, dims), _of(op, source, dims, "int64")), ("values", "indices"))


@operator("torch.quantile torch.nanquantile", "input q dim=None keepdim=False *rest")
def quantile(op: Op, input: Value, q: Value, dim: Value, keepdim: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor_of(op.tr, input, "torch")
    levels = () if isinstance(q, (int, float)) else q.dims if isinstance(q, Tensor) else None
    dims = None if source is None else reduced_dims(op, source, dim, keepdim)
    if source is None or levels is None or dims is None:
        return unknown_tensor(op, "torch")
    return _of(op, source, (*levels, *dims))


@operator("torch.cov torch.corrcoef", "input *rest")
def covariance(op: Op, input: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor_of(op.tr, input, "torch")
    if source is None or source.dims is None or len(source.dims) > 2:
        return unknown_tensor(op, "torch")
    weighted = any(isinstance(value, Tensor) for value in (*rest, *op.extra.values()))
    kind = None if weighted else floating_of(source.dtype)
    one = len(source.dims) < 2 or source.dims[0] == 1
    return _of(op, source, () if one else (source.dims[0], source.dims[0]), kind)


@operator("torch.multinomial", "input num_samples *rest")
def multinomial(op: Op, input: Value, num_samples: Value, rest: tuple[Value, ...]) -> Value:
    source, count = tensor_of(op.tr, input, "torch"), op.tr.term_of(num_samples)
    if source is None or not source.dims or count is None:
        return unknown_tensor(op, "torch")
    op.tr.shared.asks_values = True
    if _masks_all(source):
        sentence = "the probabilities hold NaN: all that they were computed of along an axis is masked by -inf"
        fail(op, "probabilities", sentence, (source,))
    return _of(op, source, (*source.dims[:-1], count), "int64")


def _masks_all(probabilities: Tensor) -> bool:
    """Whether a run on made-up numbers has NaN among them that come of minus infinity, as a softmax makes them."""
    found, made_of = probabilities.array, [t.array for t in probabilities.sources]
    if found is None or found.dtype.kind != "f" or probabilities.meaning >= INVENTED or len(made_of) != 1:
        return False
    given = made_of[0]
    if given is None or given.dtype.kind != "f" or not np.isnan(found).any():
        return False
    return bool(np.isneginf(given).any() and not np.isnan(given).any() and not np.isposinf(given).any())


@operator("torch.nn.functional.one_hot", "input num_classes=-1")
def one_hot(op: Op, input: Value, num_classes: Value) -> Value:
    source = tensor_of(op.tr, input, "torch")
    count = op.tr.term_of(num_classes)
    if source is None or source.dims is None or count is None:
        return unknown_tensor(op, "torch")
    if count == -1 or (isinstance(count, Poly) and count.interval.lo < 0):
        count = _some(op, "classes")
    check_indices(op, source, count, "the classes")
    return _of(op, source, (*source.dims, count), "int64")


@operator("torch.meshgrid", "*tensors")
def meshgrid(op: Op, tensors: tuple[Value, ...]) -> Value:
    if len(tensors) == 1 and isinstance(tensors[0], (tuple, ListV)) and not getattr(tensors[0], "open", False):
        tensors = tuple(tensors[0].items if isinstance(tensors[0], ListV) else tensors[0])
    found = [tensor_of(op.tr, t, "torch") for t in tensors]
    indexing = op.extra.get("indexing", "ij")
    if not found or any(t is None or t.dims is None or len(t.dims) > 1 for t in found) or indexing not in ("ij", "xy"):
        return op.tr.unknown("meshgrid()", "imprecise")
    sizes = [t.dims[0] if t is not None and t.dims else 1 for t in found]
    if indexing == "xy" and len(sizes) > 1:
        sizes[0], sizes[1] = sizes[1], sizes[0]
    return tuple(Tensor(tuple(sizes), t.dtype if t else None, "torch", site=op.where) for t in found)


@operator("torch.nonzero torch.argwhere", "input *rest")
def nonzero(op: Op, input: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor_of(op.tr, input, "torch")
    if source is None or source.dims is None:
        return op.tr.unknown(f"{op.short}()", "imprecise")
    count = _some(op, "nonzero")
    if op.extra.get("as_tuple") is True:
        return tuple(_of(op, source, (count,), "int64") for _ in source.dims or (1,))
    if isinstance(op.extra.get("as_tuple"), Unknown) or rest:
        return op.tr.unknown("nonzero()", "imprecise")
    return _of(op, source, (count, len(source.dims)), "int64")


@operator("torch.masked_select torch.bincount", "input *rest")
def chosen_by_data(op: Op, input: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor_of(op.tr, input, "torch")
    if source is None:
        return unknown_tensor(op, "torch")
    weighted = bool(rest) or "weights" in op.extra
    kind = source.dtype if op.short == "masked_select" else None if weighted else "int64"
    return _of(op, source, (_some(op, op.short),), kind)


@operator("torch.unique", "input sorted=True return_inverse=False return_counts=False dim=None")
def unique(op: Op, input: Value, sorted: Value, return_inverse: Value, return_counts: Value, dim: Value) -> Value:
    return _different(op, input, return_inverse, return_counts, dim)


@operator("torch.unique_consecutive", "input return_inverse=False return_counts=False dim=None")
def unique_consecutive(op: Op, input: Value, return_inverse: Value, return_counts: Value, dim: Value) -> Value:
    return _different(op, input, return_inverse, return_counts, dim)


def _different(op: Op, input: Value, inverse: Value, counts: Value, dim: Value) -> Value:
    """The different elements, or parts along an axis; where each stands among them; how often it does."""
    source = tensor_of(op.tr, input, "torch")
    plainly = isinstance(inverse, bool) and isinstance(counts, bool) and (dim is None or isinstance(dim, int))
    if source is None or not plainly or (dim is not None and source.dims is None):
        return op.tr.unknown("unique()", "imprecise")
    count, dims = _some(op, "unique"), source.dims
    if dim is None:
        values, places = (count,), dims
    else:
        dims = dims or ()
        if not -len(dims) <= dim < len(dims):
            fail(op, "axis-in-range", f"axis {dim} is out of range for {show_shape(dims)}", (source,))
        axis = dim % len(dims)
        values, places = (*dims[:axis], count, *dims[axis + 1 :]), (dims[axis],)
    found = [_of(op, source, values)]
    if inverse:
        found.append(unknown_tensor(op, "torch") if places is None else _of(op, source, places, "int64"))
    if counts:
        found.append(_of(op, source, (count,), "int64"))
    return found[0] if len(found) == 1 else tuple(found)


@operator("torch.histc", "input bins=100 *rest")
def histc(op: Op, input: Value, bins: Value, rest: tuple[Value, ...]) -> Value:
    count = op.tr.term_of(bins)
    return made(op, None if count is None else (count,), None)


@operator("torch.atleast_1d torch.atleast_2d torch.atleast_3d", "*tensors")
def at_least(op: Op, tensors: tuple[Value, ...]) -> Value:
    one = len(tensors) == 1 and not isinstance(tensors[0], (ListV, tuple))  # of several it gives a tuple
    source = tensor_of(op.tr, tensors[0], "torch") if one else None
    if source is None or source.dims is None:
        return op.tr.unknown(f"{op.short}()")
    wanted, dims = int(op.short[-2]), source.dims
    if len(dims) < wanted:
        lead = (1,) * (wanted - len(dims)) if wanted < 3 or len(dims) == 0 else ((1,) if len(dims) == 1 else ())
        dims = (*lead, *dims, *((1,) if wanted == 3 and len(dims) else ()))
    return _of(op, source, dims)


@operator("torch.nn.functional.grid_sample", "input grid *rest")
def grid_sample(op: Op, input: Value, grid: Value, rest: tuple[Value, ...]) -> Value:
    x, places = tensor_of(op.tr, input, "torch"), tensor_of(op.tr, grid, "torch")
    if x is None or places is None or x.dims is None or places.dims is None:
        return unknown_tensor(op, "torch")
    told = f"the input is {show_shape(x.dims)} and the grid {show_shape(places.dims)}"
    if len(x.dims) not in (4, 5) or len(places.dims) != len(x.dims):
        fail(op, "rank", told, (x, places))
    require(op, equal(x.dims[0], places.dims[0]), "size", told, (x, places))
    require(op, equal(places.dims[-1], len(x.dims) - 2), "size", told, (x, places))
    return Tensor((*x.dims[:2], *places.dims[1:-1]), x.dtype, "torch", site=op.where, sources=(x, places))


@operator("torch.nn.functional.pairwise_distance", "x1 x2 p=2.0 eps=1e-06 keepdim=False")
def pairwise_distance(op: Op, x1: Value, x2: Value, p: Value, eps: Value, keepdim: Value) -> Value:
    found = broadcast(op, op.short, x1, x2, "torch")
    if not isinstance(found, Tensor) or not found.dims or not isinstance(keepdim, bool):
        return unknown_tensor(op, "torch")
    return _of(op, found, (*found.dims[:-1], *((1,) if keepdim else ())), floating_of(found.dtype))


@operator(
    " ".join(f"torch.nn.functional.adaptive_max_pool{n}d" for n in "123"), "input output_size return_indices=False"
)
def adaptive_max_pool(op: Op, input: Value, output_size: Value, return_indices: Value) -> Value:
    made = apply(op, "torch", f"AdaptiveMaxPool{op.short[-2]}d", (input,), {"output_size": output_size})
    if return_indices is False or not isinstance(made, Tensor):
        return made
    if return_indices is not True:
        return op.tr.unknown(f"{op.short}()")
    return made, Tensor(made.shape, "int64", "torch", site=op.where, sources=(made,))


@operator(
    " ".join(f"torch.nn.functional.conv_transpose{n}d torch.conv_transpose{n}d" for n in "123"),
    "input weight bias=None stride=1 padding=0 output_padding=0 groups=1 dilation=1",
)
def transposed_convolution(op: Op, input: Value, weight: Value, bias: Value, groups: Value, **sizes: Value) -> Value:
    kernel, spatial = tensor_of(op.tr, weight, "torch"), int(op.short[-2])
    if kernel is None or kernel.dims is None or not isinstance(groups, int):
        return unknown_tensor(op, "torch")
    if len(kernel.dims) != spatial + 2:
        fail(op, "rank", f"the weight has the shape {show_shape(kernel.dims)}", (kernel,))
    channels = {"in_channels": kernel.dims[0], "out_channels": kernel.dims[1] * groups, "groups": groups}
    hyper = {**channels, "kernel_size": kernel.dims[2:], **sizes}
    x = tensor_of(op.tr, input, "torch")
    kind = kernel.dtype if x is None or x.dtype is None else x.dtype
    subject = input if x is None else cast(x, None)
    return apply(op, "torch", f"ConvTranspose{spatial}d", (subject,), hyper, dtype=kind)
