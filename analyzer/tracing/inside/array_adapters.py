"""Arrays of files that are not here (`numpy.load`, HDF5, MATLAB's), made up in a dry run.

Nobody says how many axes they have and how long these are: the attempts try ranks in turn, each size is another one in
a varied attempt, and a size that the program asks for is given (`fits`). Names that speak of labels are rows of numbers
of classes.
"""

from __future__ import annotations

import math
import os
import re
from typing import Any

from .absent_files import absent
from .fits import of_any_split
from .stubs import NotReached

ENDINGS = (".npy", ".npz", ".h5", ".hdf5", ".mat")
STREAMS = (".bin", ".dat", ".raw")
ROWS = (260, 301)
CLASSES = (3, 5)
STREAM = (120_000, 131_000)  # numbers in a file without any form
_LABELS = re.compile(
    r"(^|[_\W])(y|ys|t)($|[_\W\d])|label|target|class|categor|species|digit(?!s)|(^|_)ids?$", re.IGNORECASE
)


def adapters(progress: Any) -> dict[str, Any]:
    return {
        "numpy": lambda numpy: _arrays(numpy, progress),
        "h5py": lambda h5py: _files(h5py, progress),
        "scipy.io": lambda io: _matlab(io, progress),
    }


def made_up(name: str, inventions: Any) -> Any:
    """An array that is not here, of the rank that is tried."""
    import numpy

    inventions.arrays = inventions.contents = True
    rows = ROWS[inventions.varied]
    last = os.path.basename(name)
    inventions.tell(f"the array {last}")
    of_labels = _LABELS.search(os.path.splitext(last)[0]) is not None
    inventions.labelled |= of_labels
    if of_labels and inventions.labels:
        return numpy.arange(rows) % (inventions.declared or CLASSES[inventions.varied])
    sizes = [inventions.size(f"{of_any_split(name)}:{axis}") for axis in range(1, inventions.rank)]
    row = (numpy.arange(math.prod(sizes)) * 7 % (97 - 8 * inventions.varied)).astype("float32") / 10
    numbers = numpy.tile(row, (rows, 1)) + (numpy.arange(rows) % 7).astype("float32")[:, None]
    return numbers.reshape(rows, *sizes)


class AbsentArrays:
    """Several arrays in one file: each name has one, and which names there are is not known."""

    def __init__(self, path: str, inventions: Any) -> None:
        self._path, self._inventions = path, inventions
        self._arrays: dict[str, Any] = {}

    def __getitem__(self, key: Any) -> Any:
        if not isinstance(key, str):
            raise KeyError(key)
        if key not in self._arrays:
            self._arrays[key] = made_up(f"{self._path}/{key}", self._inventions)
        return self._arrays[key]

    def __enter__(self) -> AbsentArrays:
        return self

    def __exit__(self, *rest: Any) -> None:
        return None

    def close(self) -> None:
        return None

    def _unknown(self, *args: Any) -> Any:
        raise NotReached(f"a file ({self._path}), and what it holds")

    __iter__ = _unknown

    keys = values = items = get = __len__ = __contains__ = _unknown

    @property
    def files(self) -> Any:
        return iter(self)


def _arrays(numpy: Any, progress: Any) -> None:
    _load(numpy, progress)
    _streams(numpy, progress)


def _load(numpy: Any, progress: Any) -> None:
    plain = numpy.load

    def load(file: Any, *args: Any, **options: Any) -> Any:
        if not absent(file, ENDINGS[:2]) or not progress.missed_by_project():
            return plain(file, *args, **options)
        path = os.fspath(file)
        if path.endswith(".npz"):
            return AbsentArrays(path, progress.inventions)
        return made_up(path, progress.inventions)

    numpy.load = load


def _streams(numpy: Any, progress: Any) -> None:
    """Files of numbers one behind the other: small ones, of the type that the program names."""
    inventions = progress.inventions

    def stream(path: Any, dtype: Any, shape: Any) -> Any:
        inventions.contents = True
        inventions.tell(f"the numbers of {os.path.basename(os.fspath(path))}")
        count = STREAM[inventions.varied] if shape is None else math.prod(shape)
        numbers = numpy.arange(count) * 7 % (97 - 8 * inventions.varied)
        return numbers.astype(dtype).reshape((count,) if shape is None else shape)

    plain, plain_file = numpy.memmap, numpy.fromfile

    class memmap(plain):  # type: ignore[misc,valid-type]
        def __new__(
            cls, filename: Any, dtype: Any = "uint8", mode: str = "r+", offset: int = 0, shape: Any = None,
            order: str = "C",
        ) -> Any:  # fmt: skip
            sizes = (shape,) if isinstance(shape, int) else shape
            if mode == "r" and absent(filename, STREAMS) and progress.missed_by_project():
                return stream(filename, dtype, sizes)
            return plain(filename, dtype, mode, offset, shape, order)

    def fromfile(file: Any, dtype: Any = float, *args: Any, **options: Any) -> Any:
        if args or options or not absent(file, STREAMS) or not progress.missed_by_project():
            return plain_file(file, dtype, *args, **options)
        return stream(file, dtype, None)

    numpy.memmap, numpy.fromfile = memmap, fromfile


def _files(h5py: Any, progress: Any) -> None:
    plain = h5py.File

    class File(plain):  # type: ignore[misc,valid-type]
        def __new__(cls, name: Any = None, mode: str = "r", *args: Any, **options: Any) -> Any:
            if mode == "r" and absent(name, ENDINGS[2:4]) and progress.missed_by_project():
                return AbsentArrays(os.fspath(name), progress.inventions)
            return super().__new__(cls)

    h5py.File = File


def _matlab(io: Any, progress: Any) -> None:
    plain = io.loadmat

    def loadmat(file_name: Any, *args: Any, **options: Any) -> Any:
        if not absent(file_name, ENDINGS[4:]) or not progress.missed_by_project():
            return plain(file_name, *args, **options)
        return AbsentArrays(os.fspath(file_name), progress.inventions)

    io.loadmat = loadmat
