"""Validation data as people have it: `.npz` files, folders of images with a folder a class, CSV tables.

What a file holds is not preprocessed beyond size, layout and scale: a model that wants more gets its data from an entry
(``path/to/file.py:name``), which preprocesses as the project does.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from analyzer.differential.inputs import NOTHING, TRUTH_NAMES, Inputs, InputSet, Ranges, described, from_file, match
from analyzer.differential.structure import TensorInfo
from analyzer.problem import TargetProblem

IMAGES = (".png", ".jpg", ".jpeg", ".bmp", ".gif", ".webp")
INSTANCES = 256  # read of larger data, evenly spread: distances by class need tens of instances, not thousands


def read(path: Path, wanted: Sequence[TensorInfo], ranges: Ranges = NOTHING) -> Inputs:
    """The data below `path` in the form that its names show. Raises `TargetProblem` with what is missing."""
    if path.suffix.lower() == ".csv":
        return batched(_table(path, wanted), wanted)
    if path.is_dir() and not any(path.glob("*.npz")):
        images = sorted(p for p in path.rglob("*") if p.suffix.lower() in IMAGES and p.is_file())
        if images:
            return batched(_pictures(path, images, wanted, ranges), wanted)
    return batched(from_file(path, wanted), wanted)


def batched(inputs: Inputs, wanted: Sequence[TensorInfo]) -> Inputs:
    """Sets of as many instances as a model with a fixed first size takes; what is left over is left out."""
    sizes = {i.shape[0] for i in wanted if len(i.shape) > 1 and isinstance(i.shape[0], int) and i.shape[0] > 0}
    if len(sizes) != 1:
        return inputs
    size, sets = int(sizes.pop()), []
    for each in inputs.sets:
        count = min((len(a) for a in each.feeds.values() if a.ndim), default=0)
        if count <= size:
            sets.append(each)
            continue
        for start in range(0, min(count, INSTANCES) - size + 1, size):
            part = slice(start, start + size)
            feeds = {n: a[part] if a.ndim and len(a) == count else a for n, a in each.feeds.items()}
            truth = each.truth[part] if each.truth is not None else None
            sets.append(InputSet(f"{each.name}, from instance {start}", feeds, truth))
    return replace(inputs, sets=tuple(sets))


def _table(path: Path, wanted: Sequence[TensorInfo]) -> Inputs:
    """A CSV with a head: columns by the inputs' names (``x``, or ``x.0``, ``x.1`` …), a column of labels.

    The columns of the only input may be called anything.
    """
    try:
        with path.open(newline="", encoding="utf-8-sig") as stream:
            rows = list(csv.reader(stream))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise TargetProblem(f"{path.name} is not a readable CSV file ({type(error).__name__}).") from None
    if len(rows) < 2:
        raise TargetProblem(f"{path.name} holds no instances: give a line of column names, then a line an instance.")
    head = [name.strip() for name in rows[0]]
    labels = next((n for n in TRUTH_NAMES if n in head and not any(w.name == n for w in wanted)), None)
    texts = [row for row in rows[1:] if row]
    step = max(1, -(-len(texts) // INSTANCES))
    chosen = list(enumerate(texts, start=2))[::step]
    arrays: dict[str, np.ndarray] = {}
    names: tuple[str, ...] = ()
    for info in wanted:
        columns = [i for i, n in enumerate(head) if n == info.name or n.rpartition(".")[0] == info.name]
        if not columns and len(wanted) == 1:
            columns = [i for i, n in enumerate(head) if n != labels]
        if not columns:
            raise TargetProblem(
                f"{path.name} has no column {info.name} or {info.name}.0; it has {', '.join(head)[:200]}."
            )
        values = [[_number(path, number, head, row, i) for i in columns] for number, row in chosen]
        sizes = [n for n in info.shape[1:] if isinstance(n, int)]
        shape = (len(values), *sizes) if len(sizes) == len(info.shape) - 1 else (len(values), len(columns))
        if int(np.prod(shape[1:])) != len(columns):
            raise TargetProblem(
                f"{path.name} gives {len(columns)} numbers for the input {info.name}, which takes {list(info.shape)}."
            )
        arrays[info.name] = np.array(values, np.float64).reshape(shape)
    if labels is not None:
        where = head.index(labels)
        told = [row[where].strip() if where < len(row) else "" for _, row in chosen]
        if all(t.lstrip("-").isdigit() for t in told):
            arrays["labels"] = np.array([int(t) for t in told])
        elif all(_is_number(t) for t in told):
            arrays["labels"] = np.array([float(t) for t in told], np.float32)
        else:
            names = tuple(sorted(set(told)))
            arrays["labels"] = np.array([names.index(t) for t in told])
    found = match(arrays, wanted, path.name)
    return Inputs((found,), (described((found,), path.name, names),), generated=False)


def _number(path: Path, line: int, head: Sequence[str], row: Sequence[str], column: int) -> float:
    text = row[column].strip() if column < len(row) else ""
    if not _is_number(text):
        raise TargetProblem(f"{path.name}, line {line}: column {head[column]} is {text[:40]!r}, not a number.")
    return float(text)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _pictures(folder: Path, files: Sequence[Path], wanted: Sequence[TensorInfo], ranges: Ranges) -> Inputs:
    """Images in the size and layout of the model's only input: bytes for integers and for inputs whose declared range
    ends above 2, else numbers from 0 to 1. A folder is a class: its number where its name is one, else its place."""
    if len(wanted) != 1 or len(wanted[0].shape) not in (3, 4):
        given = ", ".join(f"{w.name} {list(w.shape)}" for w in wanted)
        raise TargetProblem(
            f"{folder.name} holds images, which fit a model of one image input; its inputs are {given}."
        )
    info = wanted[0]
    sizes = info.shape[1:] if len(info.shape) == 4 else info.shape
    first = sizes[0] in (1, 3) or (sizes[2] not in (1, 3) and sizes[0] is None)
    channels = sizes[0] if first else sizes[2]
    if channels not in (1, 3, None):
        raise TargetProblem(f"{folder.name} holds images; the input {info.name} {list(info.shape)} takes none.")
    rows, columns = (sizes[1], sizes[2]) if first else (sizes[0], sizes[1])
    step = max(1, -(-len(files) // INSTANCES))
    chosen = files[::step]
    classes = [f.relative_to(folder).parts[0] for f in chosen if len(f.relative_to(folder).parts) > 1]
    every = sorted({f.relative_to(folder).parts[0] for f in files if len(f.relative_to(folder).parts) > 1})
    numbered = bool(every) and all(n.isdigit() for n in every)
    images = _opened(chosen, "L" if channels == 1 else "RGB", rows, columns)
    values = np.stack(images).transpose(0, 3, 1, 2) if first else np.stack(images)
    limits = ranges.get(info.name)
    if not info.dtype.startswith(("int", "uint")) and not (limits is not None and limits[1] > 2):
        values = values.astype(np.float32) / np.float32(255)
    arrays: Mapping[str, np.ndarray] = {info.name: values if len(info.shape) == 4 else values[0]}
    if classes and len(classes) == len(chosen):
        numbers = [int(c) if numbered else every.index(c) for c in classes]
        arrays = {**arrays, "labels": np.array(numbers)}
    found = match(arrays, wanted, folder.name)
    names = () if numbered else tuple(every)
    return Inputs((found,), (described((found,), f"{folder.name} ({len(files)} images)", names),), generated=False)


def _opened(files: Sequence[Path], mode: str, rows: object, columns: object) -> list[np.ndarray]:
    """Arrays of rows, columns and channels; all of one size."""
    try:
        from PIL import Image
    except ImportError:
        raise TargetProblem("reading images needs Pillow: `pip install pillow`, or give an .npz file.") from None
    found: list[np.ndarray] = []
    for file in files:
        try:
            with Image.open(file) as image:
                size = (
                    columns if isinstance(columns, int) else found[0].shape[1] if found else image.width,
                    rows if isinstance(rows, int) else found[0].shape[0] if found else image.height,
                )
                array = np.asarray(image.convert(mode).resize(size, Image.Resampling.BILINEAR))
        except (OSError, ValueError, SyntaxError, Image.DecompressionBombError) as error:
            raise TargetProblem(f"{file.name} is not a readable image ({type(error).__name__}).") from None
        found.append(array[..., np.newaxis] if array.ndim == 2 else array)
    return found
