"""tf.signal: transforms and frames of signals."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Value
from analyzer.tracing.operators.element_types import dtype_name
from analyzer.tracing.operators.hyperparameters import dropped, plain
from analyzer.tracing.operators.operands import unknown_tensor
from analyzer.tracing.operators.refusals import fail
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.tf_operands import like, tensor
from analyzer.validity.terms import Poly, floor_div, maximum

_COMPLEX = {"float32": "complex64", "float64": "complex128"}
_REAL = {kind: real for real, kind in _COMPLEX.items()}


@operator(
    " ".join(f"tf.signal.{n} tf.{n}" for n in ("fft", "ifft", "fft2d", "ifft2d", "fft3d", "ifft3d"))
    + " tf.signal.fftshift tf.signal.ifftshift",
    "input *rest",
)
def whole(op: Op, input: Value, rest: tuple[Value, ...]) -> Value:
    source = _signal(op, input, int(op.short[-2]) if op.short.endswith("d") else 1)
    return unknown_tensor(op, "tf") if source is None else like(op, source, source.shape, source.dtype)


@operator(
    " ".join(f"tf.signal.{n}" for n in ("rfft", "irfft", "rfft2d", "irfft2d", "rfft3d", "irfft3d")),
    "input_tensor fft_length=None *rest",
)
def half(op: Op, input_tensor: Value, fft_length: Value, rest: tuple[Value, ...]) -> Value:
    """Half of the last axis, and one more; the lengths are those of the axes before that."""
    axes = int(op.short[-2]) if op.short.endswith("d") else 1
    source = _signal(op, input_tensor, axes)
    lengths = plain(op.tr, fft_length) if fft_length is not None else None
    if source is None or source.dims is None or dropped(lengths):
        return unknown_tensor(op, "tf")
    back = op.short.startswith("i")
    last = source.dims[-1]
    sizes: tuple[Any, ...] = (*source.dims[-axes:-1], (last - 1) * 2 if back else last)
    if lengths is not None:
        if not isinstance(lengths, tuple) or len(lengths) != axes:
            return unknown_tensor(op, "tf", (source,))
        sizes = lengths
    last = sizes[-1] if back else floor_div(sizes[-1], 2) + 1
    kind = (_REAL if back else _COMPLEX).get(source.dtype or "")
    return like(op, source, (*source.dims[:-axes], *sizes[:-1], last), kind)


@operator("tf.signal.frame", "signal frame_length frame_step pad_end=False pad_value=0 axis=-1 *rest")
def frame(
    op: Op, signal: Value, frame_length: Value, frame_step: Value, pad_end: Value, pad_value: Value, axis: Value,
    rest: tuple[Value, ...],
) -> Value:  # fmt: skip
    source, length = _signal(op, signal, 1), op.tr.term_of(frame_length)
    if source is None or source.dims is None or length is None or not isinstance(axis, int):
        return unknown_tensor(op, "tf")
    if not -len(source.dims) <= axis < len(source.dims):
        return unknown_tensor(op, "tf", (source,))
    place = axis % len(source.dims)
    count = _frames(op, source.dims[place], length, frame_step, pad_end)
    if count is None:
        return unknown_tensor(op, "tf", (source,))
    return like(op, source, (*source.dims[:place], count, length, *source.dims[place + 1 :]), source.dtype)


def _frames(op: Op, size: Any, length: Any, frame_step: Value, pad_end: Value) -> Any:
    """How many frames there are; None where it is not known."""
    step = op.tr.term_of(frame_step)
    if not isinstance(step, int) or step <= 0 or not isinstance(pad_end, bool):
        return None
    if pad_end:
        return floor_div(size + step - 1, step)
    found = floor_div(size - length, step) + 1
    return max(found, 0) if isinstance(found, int) else maximum(found, 0)


@operator("tf.signal.stft", "signals frame_length frame_step fft_length=None window_fn=None pad_end=False *rest")
def stft(
    op: Op, signals: Value, frame_length: Value, frame_step: Value, fft_length: Value, window_fn: Value,
    pad_end: Value, rest: tuple[Value, ...],
) -> Value:  # fmt: skip
    """Without a length of the transform it is the next power of two."""
    source, length = _signal(op, signals, 1), op.tr.term_of(frame_length)
    whole: Any = op.tr.term_of(fft_length) if fft_length is not None else None
    if fft_length is None and isinstance(length, int) and length > 0:
        whole = 1 << (length - 1).bit_length()
    if source is None or source.dims is None or length is None or whole is None:
        return unknown_tensor(op, "tf")
    count = _frames(op, source.dims[-1], length, frame_step, pad_end)
    if count is None:
        return unknown_tensor(op, "tf", (source,))
    kind = _COMPLEX.get(source.dtype or "")
    return like(op, source, (*source.dims[:-1], count, floor_div(whole, 2) + 1), kind)


@operator("tf.signal.overlap_and_add", "signal frame_step *rest")
def overlap_and_add(op: Op, signal: Value, frame_step: Value, rest: tuple[Value, ...]) -> Value:
    source, step = _signal(op, signal, 2), op.tr.term_of(frame_step)
    if source is None or source.dims is None or step is None:
        return unknown_tensor(op, "tf")
    return like(op, source, (*source.dims[:-2], (source.dims[-2] - 1) * step + source.dims[-1]), source.dtype)


@operator(" ".join(f"tf.signal.{n}" for n in ("hann_window", "hamming_window", "kaiser_window")), "window_length *rest")
def window(op: Op, window_length: Value, rest: tuple[Value, ...]) -> Value:
    length = op.tr.term_of(window_length)
    return unknown_tensor(op, "tf") if length is None else Tensor((length,), _kind(op, "float32"), "tf", site=op.where)


@operator("tf.signal.linear_to_mel_weight_matrix", "num_mel_bins=20 num_spectrogram_bins=129 *rest")
def mel_weights(op: Op, num_mel_bins: Value, num_spectrogram_bins: Value, rest: tuple[Value, ...]) -> Value:
    bins = [op.tr.term_of(v) for v in (num_spectrogram_bins, num_mel_bins)]
    if any(b is None for b in bins):
        return unknown_tensor(op, "tf")
    return Tensor([b for b in bins if b is not None], _kind(op, "float32"), "tf", site=op.where)


@operator("tf.signal.mfccs_from_log_mel_spectrograms", "log_mel_spectrograms *rest")
def coefficients(op: Op, log_mel_spectrograms: Value, rest: tuple[Value, ...]) -> Value:
    source = tensor(op, log_mel_spectrograms)
    return unknown_tensor(op, "tf") if source is None else like(op, source, source.shape, source.dtype)


def _signal(op: Op, value: Value, rank: int) -> Tensor | None:
    """The operand, of at least so many dimensions; None where its rank is not known."""
    source = tensor(op, value)
    if source is None or source.dims is None:
        return None
    if len(source.dims) < rank:
        fail(op, "rank", f"at least {rank} dimensions are needed and the tensor has {len(source.dims)}", (source,))
    return source


def _kind(op: Op, default: str) -> str | None:
    stated = op.extra.get("dtype", default)
    return dtype_name(stated) if not isinstance(stated, Poly) else None
