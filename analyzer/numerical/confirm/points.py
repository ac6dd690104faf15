"""Where a search starts: ordinary values, corners, special values. Every point lies inside the leaves' ranges."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import ml_dtypes
import numpy as np
import onnx_ir as ir

from analyzer.numerical.confirm.extract import CALM, Leaf
from analyzer.numerical.confirm.objective import EDGE
from analyzer.numerical.confirm.problem import Point, SearchProblem
from analyzer.numerical.confirm.torch_dtypes import from_numpy, torch_dtype
from analyzer.numerical.constants import constant_array
from analyzer.numerical.decided import COMPARISONS, MIRRORED
from analyzer.operators.registry import operator_name

LARGE = 100.0  # the size of inputs that a person tries beside ordinary ones

Make = Callable[[Leaf, Any], Any]  # a value of a leaf out of an array


def unbounded(leaf: Leaf) -> bool:
    return not (np.isfinite(leaf.lo) and np.isfinite(leaf.hi))


def array_of(leaf: Leaf, array: Any) -> np.ndarray:
    """`array` clipped into the leaf's range, in its dtype; rounding to the dtype never leaves the range.

    Where no element of a part lies where one must, its first gets the least number that does; an order is kept, and
    so are whole numbers.
    """
    dtype = ir.DataType[leaf.dtype].numpy()
    numbers = np.asarray(array, np.float64)
    wide = np.broadcast_to(np.clip(np.round(numbers) if leaf.whole else numbers, *leaf.ends), leaf.shape)
    if not ir.DataType[leaf.dtype].is_floating_point():
        made = wide.astype(dtype)
    else:
        largest = float(ml_dtypes.finfo(dtype).max)
        wide = np.where(np.isnan(wide), 0.0, np.clip(wide, -largest, largest))
        made = wide.astype(dtype)
        lo, hi = (np.asarray(end, np.float64).astype(dtype) for end in (leaf.lo, leaf.hi))
        if np.isfinite(leaf.lo) and float(lo) < leaf.lo:
            lo = np.nextafter(lo, np.asarray(np.inf, dtype))
        if np.isfinite(leaf.hi) and float(hi) > leaf.hi:
            hi = np.nextafter(hi, np.asarray(-np.inf, dtype))
        back = made.astype(np.float64)
        if bool((back < leaf.lo).any()) or bool((back > leaf.hi).any()):
            made = np.minimum(np.maximum(made, lo), hi)
    if leaf.held is not None:
        for part in leaf.lacking(made):
            part[(0,) * part.ndim] = leaf.held[0]
    return leaf.arranged(made)


def tensor_of(leaf: Leaf, array: Any) -> Any:
    """The same as a torch tensor."""
    return from_numpy(array_of(leaf, array)).to(torch_dtype(leaf.dtype))


def probes(problem: SearchProblem, seed: int) -> Iterator[Point]:
    """The cheap points alone, unchecked."""
    rng = np.random.default_rng(seed)
    yield from probes_from(problem, next(starts_of(problem.leaves, rng)), rng)


def ordinary_points(problem: SearchProblem, seed: int, count: int, make: Make = tensor_of) -> Iterator[Point]:
    """What a healthy run sees: initial or small parameters, data within [-3, 3] as far as their ranges allow."""
    for i in range(count):
        rng = np.random.default_rng(seed + i)
        point = {}
        for leaf in problem.leaves:
            lo, hi = max(leaf.lo, -CALM), min(leaf.hi, CALM)
            calm = replace(leaf, lo=lo, hi=hi) if lo <= hi and "INT" not in leaf.dtype else leaf
            point[leaf.name] = make(leaf, _ordinary(calm, rng))
        yield point


def usual(leaf: Leaf, rng: np.random.Generator, size: float = 0.0) -> np.ndarray:
    """Numbers between those of the leaf's example, or in [-3, 3]; those of inputs as large as `size` permits."""
    if "INT" in leaf.dtype or leaf.dtype == "BOOL":
        low, high = leaf.shown[0] if leaf.shown else (leaf.lo, leaf.hi)
        most = min(math.floor(high), math.floor(leaf.hi))
        return rng.integers(min(max(math.ceil(low), math.ceil(leaf.lo)), most), most, leaf.shape, endpoint=True)
    least, greatest = leaf.usual_ends()
    if size and leaf.role == "input":
        least, greatest = np.minimum(least, -size), np.maximum(greatest, size)
    return rng.uniform(np.clip(least, leaf.lo, leaf.hi), np.clip(greatest, leaf.lo, leaf.hi), leaf.shape)


def _middle(leaf: Leaf) -> float:
    if not unbounded(leaf):
        return (leaf.lo + leaf.hi) / 2
    return float(np.clip(0.0, leaf.lo, leaf.hi))


def _random(leaf: Leaf, rng: np.random.Generator) -> Any:
    if unbounded(leaf):
        return rng.standard_normal(leaf.shape)
    if leaf.dtype in ("FLOAT", "DOUBLE", "FLOAT16", "BFLOAT16"):
        return rng.uniform(*leaf.ends, leaf.shape)
    return rng.integers(int(np.ceil(leaf.lo)), int(np.floor(leaf.hi)) + 1, leaf.shape)


def _ordinary(leaf: Leaf, rng: np.random.Generator) -> Any:
    """What a first training step would see: the initial value, small weights, data anywhere in its range."""
    if leaf.initial is not None:
        return leaf.initial
    if leaf.role == "parameter":
        return _middle(leaf) + 0.05 * rng.standard_normal(leaf.shape)
    return _random(leaf, rng)


def starts_of(leaves: Sequence[Leaf], rng: np.random.Generator, make: Make = tensor_of) -> Iterator[Point]:
    yield {leaf.name: make(leaf, _ordinary(leaf, rng)) for leaf in leaves}
    yield {leaf.name: make(leaf, _random(leaf, rng)) for leaf in leaves}


def probes_from(
    problem: SearchProblem,
    ordinary: Point,
    rng: np.random.Generator,
    make: Make = tensor_of,
    leaves: Sequence[Leaf] | None = None,
) -> Iterator[Point]:
    """Ordinary values, each constant extreme for all inputs, all leaves and one leaf alone, and random corners.

    Blank inputs beside one extreme one come too: what is sharpened, scaled or divided by it starts from equal numbers.
    Witnesses that leave the weights as they are come first.
    Then the model's own scalar constants: what it compares with, clips at and divides by.
    """
    leaves = problem.leaves if leaves is None else leaves
    yield ordinary
    extremes: list[Callable[[Leaf], Any]] = [
        lambda leaf: 0.0,
        lambda leaf: leaf.lo if np.isfinite(leaf.lo) else -1e4,
        lambda leaf: leaf.hi if np.isfinite(leaf.hi) else 1e4,
        _middle,
    ]
    alone = sorted(leaves, key=lambda leaf: (leaf.role != "input", int(np.prod(leaf.shape))))[:12]
    inputs = [leaf for leaf in leaves if leaf.role != "parameter"]
    if len(inputs) < len(leaves):  # weights as they are: equal indices, blank and full inputs
        for extreme in extremes[:3]:
            yield {**ordinary, **{leaf.name: make(leaf, extreme(leaf)) for leaf in inputs}}
    for extreme in extremes:
        yield {leaf.name: make(leaf, extreme(leaf)) for leaf in leaves}
    if len(inputs) > 1:
        blank = {leaf.name: make(leaf, 0.0) for leaf in inputs}
        for leaf in alone:
            for extreme in extremes[1:3] if leaf.name in blank else ():
                yield {**ordinary, **blank, leaf.name: make(leaf, extreme(leaf))}
    for leaf in alone:
        for extreme in extremes[:3]:
            yield {**ordinary, leaf.name: make(leaf, extreme(leaf))}
    for _ in range(4):
        corner = {}
        for leaf in leaves:
            low, high = extremes[1](leaf), extremes[2](leaf)
            corner[leaf.name] = make(leaf, np.where(rng.random(leaf.shape) < 0.5, low, high))
        yield corner
    for number in special_values(problem):
        for leaf in alone[:6]:
            if leaf.lo <= number <= leaf.hi:
                yield {**ordinary, leaf.name: make(leaf, number)}
    whole = [leaf for leaf in alone if "INT" in leaf.dtype]
    for token in compared_integers(problem):
        for leaf in whole:
            if leaf.lo <= token <= leaf.hi:
                yield {**ordinary, leaf.name: make(leaf, token)}
                if leaf.shape and leaf.shape[-1] > 1:  # each row's first token, and nothing that follows
                    row, first = np.full(leaf.shape, float(token)), np.asarray(ordinary[leaf.name])[..., 0]
                    another = token + 1 if token < leaf.hi else token - 1
                    row[..., 0] = np.where(first == token, another, first)
                    yield {**ordinary, leaf.name: make(leaf, row)}


def compared_integers(problem: SearchProblem) -> list[int]:
    """The numbers with which the slice compares integers (a padding's or a mask's token), at most half a dozen.

    Of an ordering the numbers on both sides; the number that a loss ignores too.
    """
    found: dict[int, None] = {}
    for node in problem.model.graph:
        if (ignored := node.attributes.get("ignore_index")) is not None:
            found[int(ignored.as_int())] = None
        name = operator_name(node)
        arrays = [constant_array(v) for v in node.inputs] if name in COMPARISONS else []
        for array in arrays:
            if array is not None and array.size == 1 and array.dtype.kind in "iu":
                number = int(array.reshape(-1)[0])
                found.update(dict.fromkeys((number - 1, number + 1) if name in MIRRORED else (number,)))
    return list(found)[:6]


def special_values(problem: SearchProblem) -> list[float]:
    """Scalar constants of the slice and the edge that the operator itself has, at most a dozen."""
    found: dict[float, None] = {1.0: None, -1.0: None} if problem.target[1] == EDGE else {}
    for initializer in problem.model.graph.initializers.values():
        data = initializer.const_value
        if (
            data is not None
            and data.size == 1
            and initializer.dtype is not None
            and initializer.dtype.is_floating_point()
        ):
            found.setdefault(float(data.numpy().reshape(-1)[0]))
    for node in problem.model.graph:
        attribute = node.attributes.get("value")
        if node.op_type in ("Const", "Constant") and attribute is not None and hasattr(attribute.value, "numpy"):
            array = attribute.value.numpy()
            if array.size == 1 and array.dtype.kind == "f":
                found.setdefault(float(array.reshape(-1)[0]))
    return [n for n in found if np.isfinite(n)][:12]


def stages(leaves: Sequence[Leaf]) -> list[tuple[Leaf, ...]]:
    """Inputs alone, parameters alone, all: a failure that needs less is the better witness."""
    floating = [leaf for leaf in leaves if "FLOAT" in leaf.dtype or leaf.dtype == "DOUBLE"]
    inputs = tuple(leaf for leaf in floating if leaf.role != "parameter")
    parameters = tuple(leaf for leaf in floating if leaf.role == "parameter")
    kinds = [k for k in (inputs, parameters) if k]
    return [*kinds, tuple(floating)] if len(kinds) == 2 else kinds
