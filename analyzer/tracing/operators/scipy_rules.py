"""SciPy: filters of pictures and signals, by the shapes of arrays."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.language.tensors import Tensor, show_shape
from analyzer.tracing.language.values import DictV, Value
from analyzer.tracing.operators.hyperparameters import plain
from analyzer.tracing.operators.numpy_operands import array, axis_of, made, of, of_length, unknown
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.torch_operands import shape_argument
from analyzer.validity.terms import Term, ceil_div, equal


def _names(home: str, names: str) -> str:
    return " ".join(f"{home}{name}" for name in names.split())


# ------------------------------------------------------------------------------------------------- pictures

_FILTERS = """gaussian_filter gaussian_filter1d gaussian_laplace gaussian_gradient_magnitude laplace sobel prewitt
    uniform_filter uniform_filter1d median_filter maximum_filter minimum_filter maximum_filter1d minimum_filter1d
    rank_filter percentile_filter generic_filter generic_filter1d convolve1d correlate1d spline_filter spline_filter1d
    fourier_gaussian fourier_uniform fourier_ellipsoid fourier_shift shift
    binary_dilation binary_erosion binary_opening binary_closing binary_fill_holes binary_propagation
    grey_dilation grey_erosion grey_opening grey_closing white_tophat black_tophat morphological_gradient
    morphological_laplace"""
_FOR_EACH_AXIS = {  # which of the arguments behind the picture has a number for each axis, by its place
    "gaussian_filter": "sigma", "gaussian_laplace": "sigma", "gaussian_gradient_magnitude": "sigma",
    "uniform_filter": "size", "median_filter": "size", "maximum_filter": "size", "minimum_filter": "size",
    "shift": "shift",
}  # fmt: skip


@operator(_names("scipy.ndimage.", _FILTERS), "input second=None *rest")
def filtered(op: Op, input: Value, second: Value, rest: tuple[Value, ...]) -> Value:
    """A picture of the same shape. What is given for each axis is one number, or as many as there are axes."""
    found = array(op, input)
    if found is None:
        return unknown(op)
    each = _FOR_EACH_AXIS.get(op.short)
    given = plain(op.tr, op.extra.get(each, second)) if each is not None else None
    if isinstance(given, tuple) and found.dims is not None and op.extra.get("axes") is None:
        _one_each(op, found, given, str(each))
    boolean = op.short.startswith("binary")
    return of(op, found, found.shape, "bool" if boolean else found.dtype)


def _one_each(op: Op, found: Tensor, given: tuple[Any, ...], name: str) -> None:
    if len(given) != len(found.dims or ()):
        told = (
            f"`{name}` has {len(given)} numbers for the {len(found.dims or ())} axes of {show_shape(found.dims or ())}"
        )
        fail(op, "rank", told, (found,))


@operator("scipy.ndimage.convolve scipy.ndimage.correlate", "input weights *rest")
def weighted(op: Op, input: Value, weights: Value, rest: tuple[Value, ...]) -> Value:
    found, kernel = array(op, input), array(op, weights)
    if found is None:
        return unknown(op)
    known = kernel is not None and kernel.dims is not None and found.dims is not None
    if (
        known
        and kernel is not None
        and op.extra.get("axes") is None
        and len(kernel.dims or ()) != len(found.dims or ())
    ):
        told = (
            f"weights {show_shape(kernel.dims or ())} have not the axes of the picture {show_shape(found.dims or ())}"
        )
        fail(op, "rank", told, (found, kernel))
    return of(op, found, found.shape, found.dtype)


@operator(
    _names("scipy.ndimage.", "distance_transform_edt distance_transform_cdt distance_transform_bf"), "input *rest"
)
def distances(op: Op, input: Value, rest: tuple[Value, ...]) -> Value:
    found = array(op, input)
    named = any(op.extra.get(k, False) is not False for k in ("return_indices", "distances", "indices"))
    if found is None or len(rest) > 1 or op.extra.get("return_distances", True) is not True or named:
        return op.tr.unknown(f"{op.short}()", "imprecise")
    return of(op, found, found.shape, "float64")


@operator("scipy.ndimage.label", "input *rest")
def label(op: Op, input: Value, rest: tuple[Value, ...]) -> Value:
    """A number for each element, and how many there are."""
    found = array(op, input)
    count = op.tr.unknown("how many parts there are", "data", "label()", pytype="int")
    return (unknown(op) if found is None else of(op, found, found.shape, "int32"), count)


@operator("scipy.ndimage.zoom", "input zoom *rest")
def zoom(op: Op, input: Value, zoom: Value, rest: tuple[Value, ...]) -> Value:
    """Each axis times its factor, rounded as Python rounds."""
    found, factors = array(op, input), plain(op.tr, zoom)
    if found is None or found.dims is None or op.extra.get("output") is not None:
        return unknown(op)
    if isinstance(factors, tuple):
        _one_each(op, found, factors, "zoom")
    each = factors if isinstance(factors, tuple) else (factors,) * len(found.dims)
    sizes = [_zoomed(op, n, f) for n, f in zip(found.dims, each, strict=True)]
    return of(op, found, tuple(sizes), found.dtype)


def _zoomed(op: Op, size: Term, factor: Any) -> Term:
    if isinstance(factor, (int, float)) and factor == 1:
        return size
    if isinstance(size, int) and isinstance(factor, (int, float)):
        return round(size * factor)
    return op.tr.fresh("zoom", "lost", 0)


@operator("scipy.ndimage.rotate", "input angle axes=None reshape=True *rest")
def rotated(op: Op, input: Value, angle: Value, axes: Value, reshape: Value, rest: tuple[Value, ...]) -> Value:
    found = array(op, input)
    if found is None or found.dims is None or reshape is not False:
        return unknown(op)
    return of(op, found, found.dims, found.dtype)


@operator("scipy.ndimage.affine_transform", "input matrix offset=0.0 output_shape=None *rest")
def affine(op: Op, input: Value, matrix: Value, offset: Value, output_shape: Value, rest: tuple[Value, ...]) -> Value:
    found = array(op, input)
    dims = shape_argument(op, (output_shape,)) if output_shape is not None else None
    if found is None or (output_shape is not None and dims is None):
        return unknown(op)
    return of(op, found, found.shape if dims is None else dims, found.dtype)


@operator("scipy.ndimage.map_coordinates", "input coordinates *rest")
def mapped(op: Op, input: Value, coordinates: Value, rest: tuple[Value, ...]) -> Value:
    """The picture at places, a row of coordinates for each of its axes."""
    found, places = array(op, input), array(op, coordinates)
    if found is None or places is None or not places.dims:
        return unknown(op)
    if found.dims is not None:
        told = f"the places {show_shape(places.dims)} have not a row for each axis of {show_shape(found.dims)}"
        require(op, equal(places.dims[0], len(found.dims)), "rank", told, (found, places))
    return of(op, found, places.dims[1:], found.dtype)


# -------------------------------------------------------------------------------------------------- signals


_BETWEEN = {"butter": 0, "bessel": 0, "cheby1": 1, "cheby2": 1, "ellip": 2}  # arguments between order and frequency


@operator(_names("scipy.signal.", " ".join(_BETWEEN)), "N *rest")
def designed_filter(op: Op, N: Value, rest: tuple[Value, ...]) -> Value:
    """The coefficients of both polynomials of a digital filter; one between two frequencies has twice the order."""
    order, place = op.tr.term_of(N), _BETWEEN[op.short] + 1
    given = {n: op.extra.get(n, rest[place + i] if len(rest) > place + i else d) for i, (n, d) in enumerate(_DESIGN)}
    if order is None or not isinstance(given["btype"], str) or given["output"] != "ba":
        return op.tr.unknown(f"{op.short}()", "imprecise")
    size = (2 * order if given["btype"].startswith(("band", "bp", "bs", "pass", "stop")) else order) + 1
    return made(op, (size,), "float64"), made(op, (size,), "float64")


_DESIGN = (("btype", "low"), ("analog", False), ("output", "ba"))


@operator(_names("scipy.signal.", "lfilter filtfilt"), "b a x axis=-1 *rest")
def filtered_signal(op: Op, b: Value, a: Value, x: Value, axis: Value, rest: tuple[Value, ...]) -> Value:
    found = array(op, x)
    if found is None or rest or op.extra.get("zi") is not None:
        return op.tr.unknown(f"{op.short}()", "imprecise")
    axis_of(op, found, axis)
    real = all(part is not None and part.dtype == "float64" for part in (array(op, b), array(op, a), found))
    return of(op, found, found.shape, "float64" if real else None)


@operator(_names("scipy.signal.", "sosfilt sosfiltfilt"), "sos x axis=-1 *rest")
def filtered_in_parts(op: Op, sos: Value, x: Value, axis: Value, rest: tuple[Value, ...]) -> Value:
    found = array(op, x)
    if found is None or (op.short == "sosfilt" and (rest or op.extra.get("zi") is not None)):
        return op.tr.unknown(f"{op.short}()", "imprecise")
    axis_of(op, found, axis)
    return of(op, found, found.shape)


@operator(
    _names("scipy.signal.", "medfilt medfilt2d wiener savgol_filter detrend sawtooth square chirp gausspulse"),
    "x *rest",
)
def kept_signal(op: Op, x: Value, rest: tuple[Value, ...]) -> Value:
    found = array(op, x)
    if found is None or op.extra.get("retquad") or op.extra.get("retenv"):
        return op.tr.unknown(f"{op.short}()", "imprecise")
    return of(op, found, found.shape)


@operator("scipy.signal.hilbert", "x N=None axis=-1")
def hilbert(op: Op, x: Value, N: Value, axis: Value) -> Value:
    found = array(op, x)
    return (
        unknown(op) if found is None else of_length(op, found, axis, N) if N is not None else of(op, found, found.shape)
    )


@operator("scipy.signal.resample", "x num t=None axis=0 *rest")
def resampled(op: Op, x: Value, num: Value, t: Value, axis: Value, rest: tuple[Value, ...]) -> Value:
    found = array(op, x)
    if found is None or t is not None:
        return op.tr.unknown("resample()", "imprecise")
    if found.dims is not None and len(found.dims) == 1:
        axis = 0  # of a row, SciPy asks for no axis
    made_of = of_length(op, found, axis, num)
    if isinstance(made_of, Tensor) and found.dtype == "float64":
        made_of.dtype = found.dtype
    return made_of


@operator("scipy.signal.decimate", "x q n=None ftype='iir' axis=-1 *rest")
def decimated(op: Op, x: Value, q: Value, n: Value, ftype: Value, axis: Value, rest: tuple[Value, ...]) -> Value:
    found, step = array(op, x), op.tr.term_of(q)
    at = axis_of(op, found, axis) if found is not None else None
    if found is None or found.dims is None or at is None or step is None:
        return unknown(op)
    return of_length(op, found, at, ceil_div(found.dims[at], step))


@operator("scipy.signal.resample_poly", "x up down axis=0 *rest")
def resampled_in_steps(op: Op, x: Value, up: Value, down: Value, axis: Value, rest: tuple[Value, ...]) -> Value:
    found, more, less = array(op, x), op.tr.term_of(up), op.tr.term_of(down)
    at = axis_of(op, found, axis) if found is not None else None
    if found is None or found.dims is None or at is None or more is None or less is None:
        return unknown(op)
    return of_length(op, found, at, ceil_div(found.dims[at] * more, less))


@operator(
    _names("scipy.signal.", "convolve fftconvolve oaconvolve correlate convolve2d correlate2d"),
    "in1 in2 mode='full' *rest",
)
def convolved(op: Op, in1: Value, in2: Value, mode: Value, rest: tuple[Value, ...]) -> Value:
    x, y = array(op, in1), array(op, in2)
    if x is None or y is None or x.dims is None or y.dims is None or op.extra.get("axes") is not None:
        return unknown(op)
    told = f"the arrays are {show_shape(x.dims)} and {show_shape(y.dims)}"
    if len(x.dims) != len(y.dims) or (op.short.endswith("2d") and len(x.dims) != 2):
        fail(op, "rank", f"{told}: they have not {'two' if op.short.endswith('2d') else 'equally many'} axes", (x, y))
    if mode == "same":
        return of(op, x, x.dims)
    if mode == "full":
        return Tensor([a + b - 1 for a, b in zip(x.dims, y.dims, strict=True)], None, "numpy", site=op.where)
    pairs = list(zip(x.dims, y.dims, strict=True))
    if mode != "valid" or not all(isinstance(n, int) for pair in pairs for n in pair):
        return unknown(op)
    if not all(a >= b for a, b in pairs) and not all(a <= b for a, b in pairs):
        fail(op, "size", f"{told}: none of them is at least as large along every axis", (x, y))
    return Tensor([abs(a - b) + 1 for a, b in pairs], None, "numpy", site=op.where)


@operator("scipy.signal.get_window scipy.signal.windows.get_window", "window Nx *rest")
def window(op: Op, window: Value, Nx: Value, rest: tuple[Value, ...]) -> Value:
    return _row(op, Nx)


_WINDOWS = """boxcar triang blackman hamming hann bartlett flattop parzen bohman blackmanharris nuttall barthann cosine
    exponential tukey taylor lanczos gaussian kaiser general_gaussian general_hamming"""


@operator(_names("scipy.signal.windows.", _WINDOWS) + " scipy.signal.firwin", "M|numtaps *rest")
def named_window(op: Op, M: Value, rest: tuple[Value, ...]) -> Value:
    return _row(op, M)


def _row(op: Op, size: Value) -> Value:
    count = op.tr.term_of(size)
    return unknown(op) if count is None else made(op, (count,), "float64")


@operator("scipy.signal.find_peaks", "x *rest")
def peaks(op: Op, x: Value, rest: tuple[Value, ...]) -> Value:
    found = array(op, x)
    if found is not None and found.dims is not None and len(found.dims) != 1:
        fail(op, "rank", f"peaks are found in a row of numbers, not in {show_shape(found.dims)}", (found,))
    return made(op, (op.tr.fresh("peaks", "unknown", 0),), "int64"), DictV({}, True)


_OF_LABELS = "sum sum_labels mean maximum minimum standard_deviation variance median"


@operator(_names("scipy.ndimage.", _OF_LABELS), "input labels=None index=None")
def of_labels(op: Op, input: Value, labels: Value, index: Value) -> Value:
    """One number, or one for each of the labels that are asked for."""
    asked = array(op, index) if index is not None else None
    if index is not None and (asked is None or asked.dims is None):
        return unknown(op)
    if asked is not None and asked.dims:
        return made(op, asked.dims)
    return op.tr.unknown(f"{op.short}()", "data", pytype="float")


@operator("scipy.ndimage.generate_binary_structure", "rank connectivity")
def structure(op: Op, rank: Value, connectivity: Value) -> Value:
    return made(op, (3,) * rank, "bool") if type(rank) is int and 0 <= rank <= 32 else unknown(op)


@operator("scipy.signal.unit_impulse", "shape *rest")
def impulse(op: Op, shape: Value, rest: tuple[Value, ...]) -> Value:
    return made(op, shape_argument(op, (shape,)), None if rest else "float64")


@operator("scipy.fft.dctn scipy.fft.idctn scipy.fft.dstn scipy.fft.idstn", "x type=2 s=None *rest")
def transforms(op: Op, x: Value, type: Value, s: Value, rest: tuple[Value, ...]) -> Value:
    found = array(op, x)
    return unknown(op) if found is None or s is not None else of(op, found, found.dims, None)
