"""SciPy: spectra of signals, over windows that slide along an axis."""

from __future__ import annotations

import itertools
from typing import Any

from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Value
from analyzer.tracing.operators.numpy_operands import array, axis_of, made, of
from analyzer.tracing.operators.table import Op, operator

_WINDOW = 256  # samples, where a program names no other number


@operator(
    "scipy.signal.spectrogram scipy.signal.stft",
    "x fs=1.0 window=None nperseg=None noverlap=None nfft=None *rest",
)
def spectrogram(
    op: Op, x: Value, fs: Value, window: Value, nperseg: Value, noverlap: Value, nfft: Value, rest: tuple[Value, ...]
) -> Value:
    """(frequencies, times, (…, frequencies, times)), the axis of the signal taken away."""
    found = array(op, x)
    length = _length(op, found)
    if found is None or length is None or rest or not isinstance(window, (str, tuple, type(None))):
        return op.tr.unknown(f"{op.short}()", "imprecise")
    size = min(length, _WINDOW if nperseg is None else nperseg) if isinstance(nperseg, (int, type(None))) else None
    frequencies = _frequencies(op, found, size if nfft is None else nfft)
    times = _times(op, length, size, noverlap)
    if frequencies is None or times is None:
        return op.tr.unknown(f"{op.short}()", "imprecise")
    dims = (*(found.dims or ())[:-1], frequencies, times)
    return made(op, (frequencies,), "float64"), made(op, (times,), "float64"), of(op, found, dims)


@operator("scipy.signal.welch", "x fs=1.0 window=None nperseg=None noverlap=None nfft=None *rest")
def welch(
    op: Op, x: Value, fs: Value, window: Value, nperseg: Value, noverlap: Value, nfft: Value, rest: tuple[Value, ...]
) -> Value:
    """(frequencies, (…, frequencies)): the mean over all windows."""
    found = array(op, x)
    length = _length(op, found)
    known = isinstance(nperseg, (int, type(None))) and isinstance(window, (str, tuple, type(None)))
    if found is None or length is None or rest or not known:
        return op.tr.unknown("welch()", "imprecise")
    return _spectrum(op, found, min(length, _WINDOW if nperseg is None else nperseg) if nfft is None else nfft)


@operator("scipy.signal.periodogram", "x fs=1.0 window=None nfft=None *rest")
def periodogram(op: Op, x: Value, fs: Value, window: Value, nfft: Value, rest: tuple[Value, ...]) -> Value:
    """(frequencies, (…, frequencies)) of the whole signal."""
    found = array(op, x)
    length = _length(op, found)
    if found is None or length is None or rest:
        return op.tr.unknown("periodogram()", "imprecise")
    return _spectrum(op, found, length if nfft is None else nfft)


def _spectrum(op: Op, found: Tensor, size: Value) -> Value:
    frequencies = _frequencies(op, found, size)
    if frequencies is None:
        return op.tr.unknown(f"{op.short}()", "imprecise")
    return made(op, (frequencies,), "float64"), of(op, found, (*(found.dims or ())[:-1], frequencies))


def _length(op: Op, found: Tensor | None) -> int | None:
    """How many samples the last axis has, along which alone spectra are followed; None where that is not known."""
    axis = op.extra.get("axis", -1)
    if found is None or not found.dims or axis_of(op, found, axis) != len(found.dims) - 1:
        return None
    return found.dims[-1] if isinstance(found.dims[-1], int) and found.dims[-1] > 0 else None


def _frequencies(op: Op, found: Tensor, size: Value) -> Any:
    """Of real numbers half of the spectrum is given."""
    if not isinstance(size, int) or not (found.dtype or "").startswith(("float", "int", "uint", "bool")):
        return None
    return {True: size // 2 + 1, False: size}.get(op.extra.get("return_onesided", True))


def _times(op: Op, length: int, size: int | None, noverlap: Value) -> int | None:
    """How many windows there are. `stft` puts half a window before and behind the signal, and fills the last one."""
    if size is None or size < 1 or not isinstance(noverlap, (int, type(None))):
        return None
    stft = op.short == "stft"
    shared = (size // 2 if stft else size // 8) if noverlap is None else noverlap
    step = size - shared
    boundary, padded = op.extra.get("boundary", "zeros"), op.extra.get("padded", True)
    if step < 1 or not isinstance(boundary, (str, type(None))) or not isinstance(padded, bool):
        return None
    if stft:
        length += 2 * (size // 2) if boundary is not None else 0
        length += (-(length - size) % step) % size if padded else 0
    return (length - shared) // step


_FAST = {"scipy.fftpack.next_fast_len": (2, 3, 5), "scipy.fft.next_fast_len": (2, 3, 5, 7, 11)}  # prime factors
_LONGEST = 1_000_000  # which is looked for


@operator(" ".join(_FAST), "target real=False")
def next_fast_length(op: Op, target: Value, real: Value) -> Value:
    """The next length that has no other prime factors; a real transform's has those up to 5."""
    if type(target) is not int or not 0 < target <= _LONGEST or not isinstance(real, (bool, int)):
        return op.tr.unknown("a length", "data", pytype="int")
    factors = _FAST["scipy.fftpack.next_fast_len"] if real else _FAST[op.name]
    return next(size for size in itertools.count(target) if _left_of(size, factors) == 1)


def _left_of(size: int, factors: tuple[int, ...]) -> int:
    """What is left of a number without these factors."""
    for factor in factors:
        while size % factor == 0:
            size //= factor
    return size
