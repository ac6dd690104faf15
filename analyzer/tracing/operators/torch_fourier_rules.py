"""torch.fft: real transforms keep half of an axis, and one more; what a spectrogram is turned back into."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Value
from analyzer.tracing.operators.hyperparameters import plain
from analyzer.tracing.operators.operands import tensor_of, unknown_tensor
from analyzer.tracing.operators.refusals import require
from analyzer.tracing.operators.table import Op, operator
from analyzer.validity.terms import Poly, equal, floor_div


@operator(
    "torch.fft.rfft torch.fft.irfft torch.fft.fft torch.fft.ifft torch.fft.hfft torch.fft.ihfft",
    "input n=None dim=-1 norm=None",
)
def one_axis(op: Op, input: Value, n: Value, dim: Value, norm: Value) -> Value:
    return _transformed(op, input, (n,), (dim,))


@operator(
    "torch.fft.rfft2 torch.fft.irfft2 torch.fft.fft2 torch.fft.ifft2 torch.fft.rfftn torch.fft.irfftn torch.fft.fftn "
    "torch.fft.ifftn torch.fft.hfft2 torch.fft.hfftn torch.fft.ihfft2 torch.fft.ihfftn",
    "input s=None dim=None norm=None",
)
def many_axes(op: Op, input: Value, s: Value, dim: Value, norm: Value) -> Value:
    sizes = plain(op.tr, s) if s is not None else None
    source = tensor_of(op.tr, input, "torch")
    every = tuple(range(-len(source.dims), 0)) if source is not None and source.dims is not None else None
    if isinstance(sizes, tuple) and every is not None:
        every = every[-len(sizes) :]
    axes = plain(op.tr, dim) if dim is not None else (-2, -1) if op.short.endswith("2") else every
    axes = (axes,) if isinstance(axes, int) else axes
    sizes = (sizes,) if isinstance(sizes, (int, Poly)) else sizes
    if not isinstance(axes, tuple) or (s is not None and not isinstance(sizes, tuple)):
        return unknown_tensor(op, "torch")
    return _transformed(op, input, sizes or (None,) * len(axes), axes)


def _transformed(op: Op, input: Value, sizes: tuple[Any, ...], axes: tuple[Any, ...]) -> Value:
    found = tensor_of(op.tr, input, "torch")
    if found is None or found.dims is None or len(sizes) != len(axes):
        return unknown_tensor(op, "torch")
    dims = list(found.dims)
    for position, (size, axis) in enumerate(zip(sizes, axes, strict=True)):
        if not isinstance(axis, int) or not -len(dims) <= axis < len(dims):
            return unknown_tensor(op, "torch")
        if size is not None and not isinstance(size, (int, Poly)):
            return unknown_tensor(op, "torch")
        last = position == len(axes) - 1  # only this axis is halved
        if last and op.short.startswith(("rfft", "ihfft")):
            dims[axis] = floor_div(dims[axis] if size is None else size, 2) + 1
        elif last and op.short.startswith(("irfft", "hfft")):
            dims[axis] = (dims[axis] - 1) * 2 if size is None else size
        elif size is not None:
            dims[axis] = size
    return Tensor(tuple(dims), None, "torch", site=op.where, sources=(found,))


@operator(
    "torch.istft Tensor.istft",
    "input n_fft hop_length=None win_length=None window=None center=True normalized=False onesided=None length=None "
    "*rest",
)
def istft(
    op: Op, input: Value, n_fft: Value, hop_length: Value, win_length: Value, window: Value, center: Value,
    normalized: Value, onesided: Value, length: Value, rest: tuple[Value, ...],
) -> Value:  # fmt: skip
    """(..., frequencies, frames) gives (..., samples): windows laid one behind another, without what padded them."""
    source, size = tensor_of(op.tr, input, "torch"), op.tr.term_of(n_fft)
    hop = floor_div(size, 4) if hop_length is None and size is not None else op.tr.term_of(hop_length)
    if source is None or source.dims is None or len(source.dims) < 2 or size is None or hop is None or rest or (
        not isinstance(center, bool) or op.extra or not isinstance(onesided, (bool, type(None)))
    ):  # fmt: skip
        return unknown_tensor(op, "torch")
    rows = size if onesided is False else floor_div(size, 2) + 1
    sentence = f"a window of {size} has {rows} frequencies, and the spectrogram {source.dims[-2]}"
    require(op, equal(source.dims[-2], rows), "size", sentence, (source,))
    cut = floor_div(size, 2) if center else 0  # before the first and after the last
    samples = size + hop * (source.dims[-1] - 1) - 2 * cut if length is None else op.tr.term_of(length)
    if samples is None:
        return unknown_tensor(op, "torch")
    kind = {"complex64": "float32", "complex128": "float64"}.get(source.dtype or "")
    return Tensor((*source.dims[:-2], samples), kind, "torch", site=op.where, sources=(source,))
