"""HDF5 files of Keras, opened so that nothing outside of the file is followed."""

from __future__ import annotations

import functools
import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import onnx_ir as ir

from analyzer.loading.archives import open_archive
from analyzer.loading.files import check_file, head_of, refuse_pointer, shown
from analyzer.loading.limits import DEFAULT, Limits
from analyzer.loading.weight import Weight
from analyzer.problem import TargetProblem

WEIGHTS_MEMBER = "model.weights.h5"


@contextmanager
def open_file(path: Path | io.BytesIO, name: str, limits: Limits = DEFAULT) -> Iterator[Any]:
    """An open ``h5py.File``; whatever h5py raises inside the block becomes a `TargetProblem`."""
    import h5py

    if isinstance(path, Path):
        check_file(path, limits.weights_size)
        refuse_pointer(path, head_of(path, 64))
    try:
        with h5py.File(path, "r", locking=False) as file:
            yield file
    except TargetProblem:
        raise
    except Exception as error:  # h5py raises OSError, KeyError, RuntimeError, TypeError… for damaged files
        raise TargetProblem(f"{name} is not a valid HDF5 file; it is damaged or cut off ({shown(error)}).") from None


def datasets(group: Any, limits: Limits, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """All datasets below `group` by path. Links, virtual and external datasets are refused.

    Raises:
        TargetProblem: a link that leads elsewhere, or too many or too deeply nested groups.
    """
    import h5py

    stack: list[tuple[str, Any]] = [(prefix, group)]
    seen = 0
    while stack:
        path, current = stack.pop()
        for key in sorted(current, reverse=True):
            seen += 1
            name = f"{path}/{key}" if path else key
            if seen > limits.tensors or name.count("/") > 4 * limits.depth or len(name) > limits.name_length:
                raise TargetProblem("its groups are too many, too deep, or their names too long.")
            link = current.get(key, getlink=True)
            if not isinstance(link, h5py.HardLink):
                raise TargetProblem(f"'{shown(name)}' is a link to elsewhere; links are refused.")
            item = current[key]
            if isinstance(item, h5py.Group):
                stack.append((name, item))
            elif isinstance(item, h5py.Dataset):
                check_dataset(item, name, limits)
                yield name, item


def check_dataset(dataset: Any, name: str, limits: Limits) -> None:
    """Refuse what would read other files or fill the memory."""
    if dataset.is_virtual or dataset.external:
        raise TargetProblem(f"'{shown(name)}' keeps its data in another file; such datasets are refused.")
    if dataset.nbytes > limits.tensor_size:
        raise TargetProblem(f"'{shown(name)}' would take {dataset.nbytes} bytes.")


def open_hdf5(path: Path, limits: Limits = DEFAULT) -> dict[str, Weight]:
    """All numeric datasets of a file; each is read when asked for."""
    with open_file(path, shown(path), limits) as file:
        return _weights(file, path, "", limits)


def open_keras_weights(path: Path, limits: Limits = DEFAULT) -> dict[str, Weight]:
    """The weights in a ``.keras`` archive by their path in ``model.weights.h5``."""
    with open_archive(path, limits) as archive:
        content = io.BytesIO(archive.view(WEIGHTS_MEMBER).tobytes())
    with open_file(content, f"the weights in {shown(path)}", limits) as file:
        return _weights(file, content, "", limits)


def _weights(file: Any, source: Path | io.BytesIO, prefix: str, limits: Limits) -> dict[str, Weight]:
    found: dict[str, Weight] = {}
    for name, dataset in datasets(file, limits, prefix):
        try:
            dtype = ir.DataType.from_numpy(dataset.dtype)
        except TypeError:
            continue
        if dtype is not ir.DataType.STRING:
            found[name] = Weight(dtype, tuple(map(int, dataset.shape)), functools.partial(_read, source, name, limits))
    return found


def _read(source: Path | io.BytesIO, name: str, limits: Limits) -> np.ndarray:
    with open_file(source, shown(source) if isinstance(source, Path) else "the weights file", limits) as file:
        return np.asarray(file[name][()])
