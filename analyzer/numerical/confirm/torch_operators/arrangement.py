"""Operators that move elements, make shapes or constants, as torch calls."""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx_ir as ir

from analyzer.numerical.confirm.torch_dtypes import attribute_dtype, from_numpy
from analyzer.numerical.confirm.torch_registry import Mode, UnsupportedOperator, attribute, op

LARGEST = 1 << 26  # elements that a constant made by the model may have


def _ints(tensor: Any) -> list[int]:
    return [int(v) for v in tensor.reshape(-1).tolist()]


def _checked(shape: list[int]) -> list[int]:
    if any(s < 0 for s in shape) or np.prod(shape, dtype=np.float64) > LARGEST:
        raise UnsupportedOperator(f"a constant of shape {shape}")
    return shape


@op("Constant", "Const")
def constant(node: ir.Node, x: Any, mode: Mode) -> Any:
    for name in ("value", "value_float", "value_int", "value_floats", "value_ints"):
        found = node.attributes.get(name)
        if found is None:
            continue
        if name == "value":
            return from_numpy(found.value.numpy() if hasattr(found.value, "numpy") else np.asarray(found.value))
        dtype = np.float32 if "float" in name else np.int64
        return from_numpy(np.asarray(found.value, dtype))
    raise UnsupportedOperator("Constant of an unknown kind")


@op("ConstantOfShape")
def constant_of_shape(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    found = node.attributes.get("value")
    value = from_numpy(found.value.numpy()).reshape(()) if found is not None else torch.tensor(0.0)
    return value.expand(_checked(_ints(x[0]))).clone()


@op((), "Fill")
def fill(node: ir.Node, x: Any, mode: Mode) -> Any:
    return x[1].reshape(()).expand(_checked(_ints(x[0]))).clone()


@op((), "ZerosLike")
def zeros_like(node: ir.Node, x: Any, mode: Mode) -> Any:
    return x[0] * 0 if not x[0].is_floating_point() else x[0].detach().new_zeros(x[0].shape)


@op((), "OnesLike")
def ones_like(node: ir.Node, x: Any, mode: Mode) -> Any:
    return x[0].detach().new_ones(x[0].shape)


@op("Shape", "Shape")
def shape(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    sizes = list(x[0].shape)
    if node.domain != "tf":
        end = attribute(node, "end")
        return torch.tensor(sizes[slice(attribute(node, "start", 0), end)], dtype=torch.int64)
    return torch.tensor(sizes, dtype=attribute_dtype(attribute(node, "out_type", int(ir.DataType.INT32))))


@op((), "ShapeN")
def shapes(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    return tuple(torch.tensor(list(t.shape), dtype=torch.int32) for t in x)


@op("Size", "Size")
def size(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    return torch.tensor(x[0].numel(), dtype=torch.int64 if node.domain != "tf" else torch.int32)


@op((), "Rank")
def rank(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    return torch.tensor(x[0].dim(), dtype=torch.int32)


@op("Reshape", "Reshape")
def reshape(node: ir.Node, x: Any, mode: Mode) -> Any:
    target = _ints(x[1])
    if node.domain != "tf" and not attribute(node, "allowzero", 0):
        target = [x[0].shape[i] if t == 0 else t for i, t in enumerate(target)]
    return x[0].reshape(target)


@op("Flatten")
def flatten(node: ir.Node, x: Any, mode: Mode) -> Any:
    axis = int(attribute(node, "axis", 1))
    return x[0].reshape(int(np.prod(x[0].shape[: axis or 0] or (1,))), -1)


@op("Squeeze", "Squeeze")
def squeeze(node: ir.Node, x: Any, mode: Mode) -> Any:
    axes = attribute(node, "axes") or attribute(node, "squeeze_dims")
    if len(x) > 1 and x[1] is not None:
        axes = _ints(x[1])
    return x[0].squeeze() if not axes else x[0].squeeze(tuple(int(a) for a in axes))


@op("Unsqueeze", "ExpandDims")
def unsqueeze(node: ir.Node, x: Any, mode: Mode) -> Any:
    axes = _ints(x[1]) if len(x) > 1 else [int(a) for a in attribute(node, "axes")]
    rank = x[0].dim() + len(axes)
    result = x[0]
    for axis in sorted(a % rank for a in axes):
        result = result.unsqueeze(axis)
    return result


@op("Transpose")
def transpose(node: ir.Node, x: Any, mode: Mode) -> Any:
    return x[0].permute(attribute(node, "perm") or list(range(x[0].dim()))[::-1])


@op((), "Transpose")
def transpose_by_operand(node: ir.Node, x: Any, mode: Mode) -> Any:
    return x[0].permute(_ints(x[1]))


@op((), "InvertPermutation")
def invert_permutation(node: ir.Node, x: Any, mode: Mode) -> Any:
    return x[0].argsort().to(x[0].dtype)


@op("Concat")
def concatenate(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    return torch.cat(list(x), int(attribute(node, "axis")))


@op((), "ConcatV2")
def concatenate_by_operand(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    return torch.cat(list(x[:-1]), int(x[-1]))


@op((), "Pack")
def pack(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    return torch.stack(list(x), int(attribute(node, "axis", 0)))


@op((), "Unpack")
def unpack(node: ir.Node, x: Any, mode: Mode) -> Any:
    return tuple(x[0].unbind(int(attribute(node, "axis", 0))))


@op("Split")
def split(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    axis = int(attribute(node, "axis", 0))
    if len(x) > 1 and x[1] is not None:
        return torch.split(x[0], _ints(x[1]), axis)
    if attribute(node, "split"):
        return torch.split(x[0], [int(s) for s in attribute(node, "split")], axis)
    count = len(node.outputs)
    return torch.split(x[0], -(-x[0].shape[axis] // count), axis)


@op((), "Split")
def split_evenly(node: ir.Node, x: Any, mode: Mode) -> Any:
    return x[1].chunk(int(attribute(node, "num_split", len(node.outputs))), int(x[0]))


@op((), "SplitV")
def split_by_sizes(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    sizes, axis = _ints(x[1]), int(x[2])
    rest = x[0].shape[axis] - sum(s for s in sizes if s >= 0)
    return torch.split(x[0], [rest if s < 0 else s for s in sizes], axis)


def _index(data: Any, slices: list[Any]) -> Any:
    """Basic indexing with negative steps, which torch lacks."""
    for axis, part in enumerate(slices):
        if isinstance(part, slice) and part.step is not None and part.step < 0:
            import torch

            positions = torch.arange(data.shape[axis])[:].tolist()[part]
            data = data.index_select(axis, torch.tensor(positions, dtype=torch.int64))
            slices = [*slices[:axis], slice(None), *slices[axis + 1 :]]
    return data[tuple(slices)]


@op("Slice")
def slice_axes(node: ir.Node, x: Any, mode: Mode) -> Any:
    data = x[0]
    if len(x) > 1:
        starts, ends = _ints(x[1]), _ints(x[2])
        axes = _ints(x[3]) if len(x) > 3 and x[3] is not None else list(range(len(starts)))
        steps = _ints(x[4]) if len(x) > 4 and x[4] is not None else [1] * len(starts)
    else:
        starts, ends = attribute(node, "starts"), attribute(node, "ends")
        axes, steps = attribute(node, "axes") or list(range(len(starts))), [1] * len(starts)
    parts: list[Any] = [slice(None)] * data.dim()
    for start, end, axis, step in zip(starts, ends, axes, steps, strict=True):
        n = data.shape[axis]
        stop = None if step < 0 and end < -n else end
        parts[int(axis) % data.dim()] = slice(start, stop, step)
    return _index(data, parts)


@op((), "Slice")
def slice_box(node: ir.Node, x: Any, mode: Mode) -> Any:
    parts = []
    for begin, length in zip(_ints(x[1]), _ints(x[2]), strict=True):
        parts.append(slice(begin, None if length == -1 else begin + length))
    return x[0][tuple(parts)]


@op((), "StridedSlice")
def strided_slice(node: ir.Node, x: Any, mode: Mode) -> Any:
    masks = {k: int(attribute(node, f"{k}_mask", 0)) for k in ("begin", "end", "ellipsis", "new_axis", "shrink_axis")}
    parts: list[Any] = []
    begins, ends, steps = _ints(x[1]), _ints(x[2]), _ints(x[3])
    for i, (begin, end, step) in enumerate(zip(begins, ends, steps, strict=True)):
        bit = 1 << i
        if masks["ellipsis"] & bit:
            parts.append(Ellipsis)
        elif masks["new_axis"] & bit:
            parts.append(None)
        elif masks["shrink_axis"] & bit:
            parts.append(begin)
        else:
            parts.append(slice(None if masks["begin"] & bit else begin, None if masks["end"] & bit else end, step))
    if Ellipsis in parts or None in parts:
        return x[0][tuple(parts)]
    return _index(x[0], parts)


@op("Gather")
def gather(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    axis = int(attribute(node, "axis", 0)) % x[0].dim()
    index = torch.where(x[1] < 0, x[1] + x[0].shape[axis], x[1]).long()
    picked = x[0].index_select(axis, index.reshape(-1))
    return picked.reshape((*x[0].shape[:axis], *index.shape, *x[0].shape[axis + 1 :]))


@op((), ("GatherV2", "Gather", "ResourceGather"))
def gather_by_operand(node: ir.Node, x: Any, mode: Mode) -> Any:
    batch = int(attribute(node, "batch_dims", 0))
    batch += x[1].dim() if batch < 0 else 0
    axis = int(x[2]) % x[0].dim() if len(x) > 2 else batch
    return _each_batch(_picked, x[0], x[1].long(), batch, axis)


def _picked(x: Any, index: Any, axis: int) -> Any:
    picked = x.index_select(axis, index.reshape(-1))
    return picked.reshape((*x.shape[:axis], *index.shape, *x.shape[axis + 1 :]))


def _each_batch(gather: Any, x: Any, index: Any, batch: int, axis: int) -> Any:
    """What `gather` takes of each of the batches along the first `batch` axes, which both operands have."""
    import torch

    if not batch:
        return gather(x, index, axis)
    parts = [_each_batch(gather, one, its, batch - 1, axis - 1) for one, its in zip(x, index, strict=True)]
    return torch.stack(parts)


@op("GatherND", "GatherNd")
def gather_nd(node: ir.Node, x: Any, mode: Mode) -> Any:
    batch = int(attribute(node, "batch_dims", 0))
    return _each_batch(lambda data, index, _: data[tuple(index.unbind(-1))], x[0], x[1].long(), batch, batch)


@op("GatherElements")
def gather_elements(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    axis = int(attribute(node, "axis", 0))
    index = torch.where(x[1] < 0, x[1] + x[0].shape[axis], x[1]).long()
    return x[0].gather(axis, index)


@op((), "ScatterNd")
def scatter_new(node: ir.Node, x: Any, mode: Mode) -> Any:
    result = x[1].new_zeros(_checked(_ints(x[2])))
    return result.index_put(tuple(x[0].long().unbind(-1)), x[1], accumulate=True)


@op("OneHot")
def one_hot(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    depth, axis = int(x[1].reshape(-1)[0]), int(attribute(node, "axis", -1))
    index = x[0].long()
    index = torch.where(index < 0, index + depth, index)
    hot = index.unsqueeze(-1) == torch.arange(depth)
    values = torch.where(hot, x[2][1], x[2][0])
    return values if axis in (-1, values.dim() - 1) else values.movedim(-1, axis)


@op((), "OneHot")
def one_hot_by_operands(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    depth, axis = int(x[1]), int(attribute(node, "axis", -1))
    positions = torch.arange(depth)
    hot = x[0].long().unsqueeze(-1) == positions
    values = torch.where(hot, x[2], x[3])
    return values if axis == -1 else values.movedim(-1, axis)


@op("Expand", ("BroadcastTo",))
def expand(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    target = torch.broadcast_shapes(tuple(x[0].shape), tuple(_checked(_ints(x[1]))))
    return x[0].expand(target)


@op("Tile", "Tile")
def tile(node: ir.Node, x: Any, mode: Mode) -> Any:
    repeats = _ints(x[1])
    _checked([s * r for s, r in zip(x[0].shape, repeats, strict=True)])
    return x[0].repeat(repeats)


@op("Range", "Range")
def number_range(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    _checked([max(0, int((float(x[1]) - float(x[0])) / float(x[2])) + 1)])
    return torch.arange(x[0].item(), x[1].item(), x[2].item(), dtype=x[0].dtype)


@op((), "LinSpace")
def linear_space(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    return torch.linspace(float(x[0]), float(x[1]), int(x[2]), dtype=x[0].dtype)


@op("Pad", ("Pad", "PadV2", "MirrorPad"))
def pad(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    kind = str(attribute(node, "mode", "constant")).lower()
    if node.op_type == "MirrorPad" or kind != "constant":
        raise UnsupportedOperator(f"Pad in mode {kind}")
    amounts = _ints(x[1]) if len(x) > 1 else [int(p) for p in attribute(node, "pads")]
    n = x[0].dim()
    if node.domain == "tf":
        before, after = amounts[0::2], amounts[1::2]
    else:
        if len(x) > 3 and x[3] is not None:
            raise UnsupportedOperator("Pad with axes")
        before, after = amounts[:n], amounts[n:]
    value = float(x[2]) if len(x) > 2 and x[2] is not None else 0.0
    flat = [p for axis in reversed(range(n)) for p in (before[axis], after[axis])]
    return torch.nn.functional.pad(x[0], flat, value=value)


@op("Trilu", ())
def triangle(node: ir.Node, x: Any, mode: Mode) -> Any:
    k = int(x[1]) if len(x) > 1 and x[1] is not None else 0
    return x[0].triu(k) if attribute(node, "upper", 1) else x[0].tril(k)


@op("ReverseSequence", "ReverseV2")
def reverse(node: ir.Node, x: Any, mode: Mode) -> Any:
    if node.domain != "tf":
        raise UnsupportedOperator(node.op_type)
    return x[0].flip([a % x[0].dim() for a in _ints(x[1])])


@op("EyeLike")
def identity_matrix(node: ir.Node, x: Any, mode: Mode) -> Any:
    import torch

    dtype = attribute(node, "dtype")
    if attribute(node, "k", 0):
        raise UnsupportedOperator("EyeLike beside the diagonal")
    return torch.eye(*x[0].shape, dtype=attribute_dtype(dtype) if dtype else x[0].dtype)
