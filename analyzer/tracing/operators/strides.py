"""How torch lays a tensor out in memory, as far as it decides whether `view` works without a copy.

A layout is the tuple of strides, in elements, or None when it is not known; then nothing is said about a `view`. The
rules follow the public documentation of `torch.Tensor.view` and `contiguous`: results of most operators on contiguous
operands are contiguous, transposes and slices of a tensor share its memory.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analyzer.tracing.tensors import Tensor
from analyzer.tracing.values import SliceV, Value
from analyzer.validity.terms import Term, equal

Layout = tuple[Term, ...] | None

# operators whose result may be laid out in another way even if their operands are contiguous
_OTHERWISE = frozenset(
    [
        "einsum",
        "LSTM",
        "GRU",
        "RNN",
        "MultiheadAttention",
        "TransformerEncoderLayer",
        "TransformerDecoderLayer",
        "TransformerEncoder",
        "TransformerDecoder",
        "scaled_dot_product_attention",
        "unfold",
        "as_strided",
        "diagonal",
        "sort",
        "argsort",
        "topk",
        "to_sparse",
        "real",
        "imag",
        "tensor_split",
        "hsplit",
        "vsplit",
        "swapaxes",
        "swapdims",
        "moveaxis",
        "movedim",
        "adjoint",
        "rot90",
        "channels_last",
    ]
)
_CREATES = frozenset(
    [
        "zeros",
        "ones",
        "rand",
        "randn",
        "empty",
        "full",
        "randint",
        "tensor",
        "arange",
        "linspace",
        "eye",
        "Tensor",
        "FloatTensor",
        "LongTensor",
        "zeros_",
        "contiguous",
        "repeat",
        "tile",
        "one_hot",
        "randperm",
        "Embedding",
        "embedding",
    ]
)
# contiguous whatever the layout of the operands
_FRESH = frozenset((
    "index_select", "matmul", "@", "mm", "bmm", "linear", "Linear", "LayerNorm", "layer_norm", "softmax", "Softmax",
    "log_softmax", "LogSoftmax", "gather", "cumsum",
))  # fmt: skip
_FRESH_UNLESS_CHANNELS_LAST = frozenset(["stack", "cat", "concat", "GroupNorm", "group_norm"])
# the order of the operand's axes in memory is kept
_ELEMENTWISE = frozenset((
    "add", "sub", "mul", "div", "pow", "neg", "abs", "exp", "log", "sqrt", "square", "sin", "cos", "clamp", "clip",
    "gt", "lt", "ge", "le", "eq", "ne", "relu", "ReLU", "sigmoid", "Sigmoid", "tanh", "Tanh", "gelu", "GELU",
    "leaky_relu", "LeakyReLU", "silu", "SiLU", "elu", "ELU", "softplus", "Softplus", "hardtanh", "Hardtanh", "relu6",
    "ReLU6", "zeros_like", "ones_like", "clone", "dropout", "Dropout",
))  # fmt: skip
_ALONG = frozenset(["split", "chunk", "narrow"])
SHARING = _ALONG | frozenset(
    [
        "permute",
        "transpose",
        "swapaxes",
        "t",
        "unsqueeze",
        "squeeze",
        "expand",
        "select",
        "unbind",
        "reshape",
        "view",
        "flatten",
        "Flatten",
        "unflatten",
        "Unflatten",
        "broadcast_to",
    ]
)  # their results may share the memory of their operand


def contiguous(dims: Sequence[Term]) -> tuple[Term, ...]:
    strides: list[Term] = []
    step: Term = 1
    for size in reversed(dims):
        strides.append(step)
        step = step * size
    return tuple(reversed(strides))


def is_contiguous(tensor: Tensor) -> bool:
    """Whether it certainly is."""
    if tensor.strides is None or tensor.dims is None:
        return False
    if any(d == 0 for d in tensor.dims):
        return True
    expected = contiguous(tensor.dims)
    return all(d == 1 or s == e for d, s, e in zip(tensor.dims, tensor.strides, expected, strict=True))


def of_result(name: str, sources: Sequence[Tensor], result: Tensor) -> Layout:
    """The layout of an operator's result that no rule has set."""
    if result.dims is None or name in _OTHERWISE:
        return None
    if name in _CREATES or name in _FRESH or not result.dims:
        return contiguous(result.dims)
    if name in _FRESH_UNLESS_CHANNELS_LAST and not any(_perhaps_channels_last(s) for s in sources):
        return contiguous(result.dims)
    if name in _ELEMENTWISE:
        operands = [s for s in sources if s.dims]
        same = [s for s in operands if s.dims == result.dims and s.strides == operands[0].strides]
        if operands and len(same) == len(operands) and not is_contiguous(operands[0]):
            return order_kept(operands[0])
    if not sources or not all(not s.dims or is_contiguous(s) or "variable" in s.tags for s in sources):
        return None
    return contiguous(result.dims)


def _perhaps_channels_last(tensor: Tensor) -> bool:
    if tensor.dims is None:
        return True
    if len(tensor.dims) not in (4, 5) or is_contiguous(tensor):
        return False
    return tensor.strides is None or tensor.strides[1] == 1 or not all(isinstance(s, int) for s in tensor.strides)


def order_kept(tensor: Tensor) -> Layout:
    """The layout of a new tensor of the same shape whose axes lie in memory in the same order, without gaps."""
    if tensor.strides is None or tensor.dims is None:
        return None
    moving = [i for i, d in enumerate(tensor.dims) if d != 1]
    keys = [tensor.strides[i] for i in moving]
    if not all(isinstance(k, int) and k > 0 for k in keys) or len(set(keys)) < len(keys):
        return None
    if not all(isinstance(d, int) for d in tensor.dims):
        return None
    result: list[Term] = [1] * len(tensor.dims)
    step: Term = 1
    for axis in sorted(moving, key=lambda i: int(tensor.strides[i])):  # type: ignore[index]
        result[axis] = step
        step = step * tensor.dims[axis]
    return tuple(result)


def of_applied(name: str, source: Tensor, hyper: dict[str, Any], results: Sequence[Tensor]) -> None:
    """Set the layouts of results that share their operand's memory."""
    strides, dims = source.strides, source.dims
    if strides is None or dims is None or not results or results[0].dims is None:
        return
    rank, first = len(dims), results[0]
    if name == "permute":
        first.strides = tuple(strides[a % rank] for a in hyper["dims"])
    elif name in ("transpose", "swapaxes"):
        order = list(range(rank))
        a, b = hyper["dim0"] % max(rank, 1), hyper["dim1"] % max(rank, 1)
        if rank:
            order[a], order[b] = order[b], order[a]
        first.strides = tuple(strides[i] for i in order)
    elif name == "t":
        first.strides = strides[::-1]
    elif name == "unsqueeze":
        axis = hyper["dim"] % (rank + 1)
        first.strides = (*strides[:axis], dims[axis] * strides[axis] if axis < rank else 1, *strides[axis:])
    elif name == "squeeze":
        kept = [i for i, d in enumerate(dims) if d != 1]
        axis = hyper.get("dim")
        if isinstance(axis, int):
            kept = [i for i in range(rank) if i != axis % max(rank, 1) or dims[i] != 1]
        if len(kept) == len(first.dims or ()):
            first.strides = tuple(strides[i] for i in kept)
    elif name in ("expand", "broadcast_to") and first.dims is not None:
        lead = len(first.dims) - rank
        first.strides = (0,) * lead + tuple(
            0 if d == 1 and first.dims[lead + i] != 1 else s for i, (d, s) in enumerate(zip(dims, strides, strict=True))
        )
    elif name == "select":
        axis = hyper["dim"] % rank
        first.strides = (*strides[:axis], *strides[axis + 1 :])
    elif name == "unbind":
        axis = hyper.get("dim", 0) % rank
        for part in results:
            part.strides = (*strides[:axis], *strides[axis + 1 :])
    elif name in _ALONG:
        for part in results:
            part.strides = strides
    elif first.dims is not None and name in ("reshape", "view", "flatten", "Flatten", "unflatten", "Unflatten"):
        seen = viewed(dims, strides, first.dims)
        first.strides = contiguous(first.dims) if seen is False else seen if isinstance(seen, tuple) else None


def of_index(source: Tensor, parts: Sequence[Value], result: Tensor) -> Layout:
    """The layout of `x[1:, None, 0]`; None where an index tensor copies."""
    if source.strides is None or source.dims is None or result.dims is None:
        return None
    taken = sum(1 for p in parts if isinstance(p, (SliceV, int)) and not isinstance(p, bool))
    strides: list[Term] = []
    axis = 0
    for part in parts:
        if part is None:
            strides.append(1)
        elif part is Ellipsis:
            count = len(source.dims) - taken
            strides += source.strides[axis : axis + count]
            axis += count
        elif isinstance(part, SliceV):
            step = 1 if part.step is None else part.step
            if not isinstance(step, int):
                return None
            strides.append(source.strides[axis] * step)
            axis += 1
        elif isinstance(part, int) and not isinstance(part, bool):
            axis += 1
        else:
            return None
    strides += source.strides[axis:]
    return tuple(strides) if len(strides) == len(result.dims) else None


def viewed(dims: Sequence[Term], strides: Sequence[Term], target: Sequence[Term]) -> tuple[Term, ...] | bool | None:
    """The strides of a view with other dimensions; False where none exists, None where that is not known."""
    if any(d == 0 for d in (*dims, *target)):
        return contiguous(target)
    groups: list[tuple[Term, Term]] = []  # (elements, stride of the innermost)
    for size, stride in zip(dims, strides, strict=True):
        if size == 1:
            continue
        if groups:
            elements, outer = groups[-1]
            joined = equal(outer, size * stride)
            if joined is True:
                groups[-1] = (elements * size, stride)
                continue
            if joined is not False:
                return None
        groups.append((size, stride))
    result: list[Term] = []
    rest = list(target)
    for elements, stride in groups:
        part: list[Term] = []
        total: Term = 1
        while rest and total != elements:
            total = total * rest[0]
            part.append(rest.pop(0))
            if isinstance(total, int) and isinstance(elements, int) and total > elements:
                return False
        if total != elements:
            return False if isinstance(total, int) and isinstance(elements, int) else None
        result += [s * stride for s in contiguous(part)]
    if any(d != 1 for d in rest):
        return None
    return (*result, *[1] * len(rest))
