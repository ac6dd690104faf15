"""NumPy's ``.npz``: a zip of arrays. Arrays of Python objects are pickles and are refused."""

from __future__ import annotations

import functools
import io
import math
import tokenize
from pathlib import Path

import numpy as np
import onnx_ir as ir

from analyzer.loading.archives import Archive, open_archive
from analyzer.loading.files import shown
from analyzer.loading.limits import DEFAULT, Limits
from analyzer.loading.weight import Weight
from analyzer.problem import TargetProblem

_HEADER = 16 * 1024  # bytes; NumPy's own limit for a header that it evaluates is 10,000 characters


def open_npz(path: Path, limits: Limits = DEFAULT) -> dict[str, Weight]:
    """All arrays by name, without ``.npy``.

    Raises:
        TargetProblem: damaged, or an array holds Python objects.
    """
    with open_archive(path, limits) as archive:
        return {name.removesuffix(".npy"): _array(archive, name) for name in archive.names if name.endswith(".npy")}


def _array(archive: Archive, name: str) -> Weight:
    what = f"'{shown(name)}' in {shown(archive.path)}"
    data = archive.view(name)
    stream = io.BytesIO(data[:_HEADER].tobytes())
    try:
        version = np.lib.format.read_magic(stream)
        read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, fortran, dtype = read(stream, max_header_size=_HEADER)
    except (ValueError, EOFError, SyntaxError, TypeError, tokenize.TokenError, MemoryError, RecursionError) as error:
        raise TargetProblem(f"{what} has a damaged header: {shown(error)}.") from None
    if dtype.hasobject:
        raise TargetProblem(f"{what} holds Python objects, which only unpickling could read; save plain arrays.")
    try:
        onnx_type = ir.DataType.from_numpy(dtype)
    except TypeError:
        raise TargetProblem(f"{what} has the type {shown(dtype)}, which is no tensor type.") from None
    payload = data[stream.tell() :]
    shape = tuple(int(d) for d in shape)
    needed = math.prod(shape) * dtype.itemsize
    if any(d < 0 for d in shape) or needed != len(payload):
        raise TargetProblem(f"{what} has {len(payload)} bytes of data, its shape and type need {needed}.")
    return Weight(onnx_type, shape, functools.partial(_view, payload, dtype, shape, bool(fortran)))


def _view(payload: np.ndarray, dtype: np.dtype, shape: tuple[int, ...], fortran: bool) -> np.ndarray:
    flat = np.frombuffer(payload, dtype)
    return flat.reshape(shape[::-1]).T if fortran else flat.reshape(shape)
