"""Inputs for a run: the user's validation data, or generated tensors of the right shapes and of diverse values."""

from __future__ import annotations

import math
import zipfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from analyzer.configuration.config import InputSpec, TargetConfig
from analyzer.differential.structure import TensorInfo
from analyzer.problem import TargetProblem

TRUTH_NAMES = ("labels", "label", "targets", "target", "truth", "ground_truth", "y_true")
MAX_BYTES = 2 << 30  # of validation data; it is read whole
CLASSES_TOLD = 10  # by name and count in the report
STYLES = ("normal", "positive", "negative", "wide")
Ranges = Mapping[str, tuple[float, float]]  # by name of an input: the values it may take
NOTHING: Ranges = {}
# Tried in order for sizes that nothing states: odd first; then, by engines alone, those of sound and long text.
OTHER_SIZES = (7, 16, 32, 64, 224, 1)
LONG_SIZES = (1024, 16000)
LARGEST = 1 << 22  # numbers of an input that is made up: what 16000 makes of pictures is left out
# Exclusive upper bounds tried in order for integers of which nothing is known; then each is the size of what is free,
# as lengths of sequences are.
LENGTHS = 0
INTEGERS = (100, 10, 2, 1, LENGTHS)


@dataclass(frozen=True)
class InputSet:
    """One batch. `truth` is the ground truth of its instances where there is one."""

    name: str
    feeds: Mapping[str, np.ndarray]
    truth: np.ndarray | None = None


@dataclass(frozen=True)
class Inputs:
    sets: tuple[InputSet, ...]
    assumptions: tuple[str, ...] = ()
    generated: bool = True
    notes: tuple[str, ...] = field(default_factory=tuple)


def from_file(path: Path, wanted: Sequence[TensorInfo], origin: str = "") -> Inputs:
    """Read `.npz` files (one, or all of a folder): arrays by input name, positionally when no name matches.
    `origin` is what a person knows the data by, where it is not the file's name.

    The first axis counts instances. An array called ``labels`` or ``targets`` is the ground truth.
    Raises `TargetProblem` with what is missing. Pickled objects are refused.
    """
    files = sorted(path.glob("*.npz")) if path.is_dir() else [path]
    if not files or not all(f.is_file() for f in files):
        raise TargetProblem(f"{path.name} holds no validation data: give an .npz file or a folder of them.")
    if sum(f.stat().st_size for f in files) > MAX_BYTES:
        raise TargetProblem(
            f"{path.name} holds more than {MAX_BYTES >> 30} GiB of validation data; give fewer instances."
        )
    sets = []
    for file in files:
        try:
            with np.load(file, allow_pickle=False) as archive:
                arrays = {name: archive[name] for name in archive.files}
        except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile, zlib.error) as error:
            raise TargetProblem(f"{file.name} is not a readable .npz file ({type(error).__name__}).") from None
        sets.append(match(arrays, wanted, origin or file.name))
        if any(0 in a.shape[:1] for a in sets[-1].feeds.values()):
            raise TargetProblem(f"{origin or file.name} holds no instances: its arrays are empty.")
    return Inputs(tuple(sets), (described(sets, origin or path.name),), generated=False)


def described(sets: Sequence[InputSet], origin: str, names: Sequence[str] = ()) -> str:
    """How many instances there are, and of which classes; `names` are those of the class numbers."""
    told = f"{sum(_count(s) for s in sets)} instances of {origin}"
    truths = [s.truth for s in sets if s.truth is not None]
    if not truths or not all(t.dtype.kind in "iu" and t.size == len(t) for t in truths):
        return told + (", with ground truth" if truths else "")
    numbers, counts = np.unique(np.concatenate([t.reshape(-1) for t in truths]), return_counts=True)
    pairs = [f"{names[n] if 0 <= n < len(names) else n}: {c}" for n, c in zip(numbers, counts, strict=True)]
    more = f" and {len(pairs) - CLASSES_TOLD} more" if len(pairs) > CLASSES_TOLD else ""
    return f"{told}, of {len(pairs)} classes ({', '.join(pairs[:CLASSES_TOLD])}{more})"


def match(arrays: Mapping[str, np.ndarray], wanted: Sequence[TensorInfo], origin: str) -> InputSet:
    """Give each input its array, by name or else by position, in the input's dtype."""
    data = dict(arrays)
    truth = next(
        (data.pop(name) for name in TRUTH_NAMES if name in data and not any(w.name == name for w in wanted)), None
    )
    names = [w.name for w in wanted]
    if not set(names) <= set(data):
        if len(data) != len(names):
            raise TargetProblem(
                f"{origin} has the arrays {', '.join(sorted(arrays)) or 'none'}; its inputs are {', '.join(names)}."
            )
        data = dict(zip(names, data.values(), strict=True))
    feeds = {}
    for info in wanted:
        array = data[info.name]
        if len(info.shape) != array.ndim or any(
            isinstance(n, int) and n not in (0, m) and i > 0
            for i, (n, m) in enumerate(zip(info.shape, array.shape, strict=True))
        ):
            raise TargetProblem(
                f"{origin}: input {info.name} has shape {list(array.shape)}, the model takes {list(info.shape)}."
            )
        if array.dtype.kind in "US" and _numpy(info.dtype).kind != "O":
            raise TargetProblem(f"{origin}: input {info.name} holds text, the model takes {info.dtype}.")
        feeds[info.name] = array.astype(_numpy(info.dtype), copy=False)
    found = InputSet(origin, feeds, truth)
    if truth is not None and (truth.ndim == 0 or len(truth) != _count(found)):
        labels = len(truth) if truth.ndim else "no"
        raise TargetProblem(f"{origin} has {labels} labels for {_count(found)} instances; give one for each.")
    return found


def generate(
    wanted: Sequence[TensorInfo],
    target: TargetConfig,
    refused: Callable[[Mapping[str, np.ndarray]], str | None],
    *,
    seed: int = 0,
    batch: int = 2,
    ranges: Ranges = NOTHING,
    long: bool = True,
) -> Inputs:
    """One set per style of values. `refused` runs the model once and gives what it says against the inputs, None where
    it takes them: sizes and integer bounds that nothing states are tried until it does. `ranges`: what is known of
    inputs by name; `long`: sizes of thousands too. Raises `TargetProblem` with what was said last when none is taken.
    """
    said: str | None = None
    guessed = _guessed(wanted, target, ranges)  # that one set of them is taken says nothing of another
    sizes = (*OTHER_SIZES, *LONG_SIZES) if long else OTHER_SIZES
    for size in sizes if _has_free_sizes(wanted, target) else OTHER_SIZES[:1]:
        if size in LONG_SIZES and any(math.prod(shape) > LARGEST for shape in _shapes(wanted, target, size, batch)):
            continue
        for bound in INTEGERS if any(_numpy(w.dtype).kind in "iu" for w in wanted) else INTEGERS[:1]:
            first = _one(wanted, target, "normal", np.random.default_rng(seed), size, bound, batch, ranges)
            said = refused(first)
            if said is None:
                sets = [InputSet("normal", first)]
                for index, style in enumerate(STYLES[1:], start=1):
                    rng = np.random.default_rng((seed, index))
                    other = _one(wanted, target, style, rng, size, bound, batch, ranges)
                    sets.append(InputSet(style, {n: first[n] if n in guessed else a for n, a in other.items()}))
                shapes = ", ".join(f"{n} {list(a.shape)}" for n, a in first.items())
                return Inputs(tuple(sets), (f"generated inputs of shapes {shapes}: {', '.join(STYLES)} values",))
    names = ", ".join(f"{w.name} {list(w.shape)}" for w in wanted)
    raise TargetProblem(
        f"no generated inputs are accepted by the model ({names}){f': {said}' if said else ''}; "
        "name `validation:` data or input shapes."
    )


def variants(examples: Mapping[str, np.ndarray], ranges: Ranges = NOTHING, seed: int = 0) -> Inputs:
    """The example inputs that came with a model, and sets of the same shapes in which the floats have other values.

    Integers stay as they are: they are indices whose bounds only the example tells. Floats keep the example's mean and
    spread, so that a preprocessed image stays one, and what is known of their range; infinities stay, as in a mask.
    """
    sets = [InputSet("example", dict(examples))]
    for index, style in enumerate(("normal", "negative"), start=1):
        rng = np.random.default_rng((seed, index))
        sets.append(InputSet(style, {n: _redrawn(a, style, ranges.get(n), rng) for n, a in examples.items()}))
    if not any(a.dtype.kind == "f" for a in examples.values()):
        sets = sets[:1]
    return Inputs(tuple(sets), (f"the model's example inputs and {len(sets) - 1} variants of them",))


def _redrawn(array: np.ndarray, style: str, limits: tuple[float, float] | None, rng: np.random.Generator) -> np.ndarray:
    finite = np.isfinite(array) if array.dtype.kind == "f" else np.zeros(0, bool)
    if not finite.any():
        return array
    values = array[finite].astype(np.float64)
    drawn = values.mean() + (float(values.std()) or 1.0) * rng.standard_normal(array.shape)
    drawn = -np.abs(drawn) if style == "negative" else drawn
    if limits is not None and limits[0] <= values.min() and values.max() <= limits[1]:
        low, high = limits
        inside = np.isfinite(limits).all()
        drawn = low + (high - low) * rng.random(array.shape) if inside else np.clip(drawn, low, high)
    return np.asarray(np.where(finite, drawn, array)).astype(array.dtype)


def _one(
    wanted: Sequence[TensorInfo],
    target: TargetConfig,
    style: str,
    rng: np.random.Generator,
    size: int,
    bound: int,
    batch: int,
    ranges: Ranges,
) -> dict[str, np.ndarray]:
    feeds = {}
    for index, (info, shape) in enumerate(zip(wanted, _shapes(wanted, target, size, batch), strict=True)):
        spec = _spec(wanted, target, index)
        limits = (spec.range.lo, spec.range.hi) if spec is not None and spec.range is not None else None
        limits = limits or ranges.get(info.name)
        feeds[info.name] = _values(
            _numpy(spec.dtype if spec and spec.dtype else info.dtype), shape, style, rng, limits, bound, size
        )
    return feeds


def _spec(wanted: Sequence[TensorInfo], target: TargetConfig, index: int) -> InputSpec | None:
    spec = target.inputs.get(wanted[index].name)
    return list(target.inputs.values())[index] if spec is None and len(target.inputs) == len(wanted) else spec


def _shapes(wanted: Sequence[TensorInfo], target: TargetConfig, size: int, batch: int) -> list[list[int]]:
    """Of each input; equal symbols are equal sizes."""
    symbols: dict[str, int] = {}
    shapes = []
    for index, info in enumerate(wanted):
        spec = _spec(wanted, target, index)
        stated = spec.shape if spec is not None and spec.shape is not None else info.shape
        shape = []
        for axis, n in enumerate(stated):
            if isinstance(n, int) and n > 0:
                shape.append(n)
                continue
            symbol = str(n) if n else f"{info.name}.{axis}"
            if symbol not in symbols:
                free = batch if axis == 0 and len(stated) > 1 else size
                low, high = target.symbols.get(symbol, (1, None))
                symbols[symbol] = max(low, min(free, high if high is not None else free))
            shape.append(symbols[symbol])
        shapes.append(shape)
    return shapes


def _values(
    dtype: np.dtype,
    shape: Sequence[int],
    style: str,
    rng: np.random.Generator,
    limits: tuple[float, float] | None,
    bound: int,
    size: int,
) -> np.ndarray:
    if dtype.kind == "b":
        return rng.random(shape) < 0.5
    if dtype.kind in "iu":
        least, most = (size, size) if bound == LENGTHS else (0, bound - 1)
        low, high = limits if limits and np.isfinite(limits).all() else (least, most)
        return rng.integers(int(low), int(high), endpoint=True, size=shape).astype(dtype)
    if dtype.kind == "O":
        return rng.choice(np.array(["a", "b", "", "word"], dtype=object), size=shape)
    values = rng.standard_normal(shape)
    if style == "positive":
        values = np.abs(values)
    elif style == "negative":
        values = -np.abs(values)
    elif style == "wide":
        values = values * 5.0
    if limits is not None:
        low, high = max(limits[0], -1e4), min(limits[1], 1e4)
        if np.isfinite(limits).all():
            values = low + (high - low) * rng.random(shape)
        values = np.clip(values, low, high)
    return np.asarray(values).astype(dtype)


def is_guess(wanted: Sequence[TensorInfo], target: TargetConfig, ranges: Ranges) -> bool:
    """Whether made-up inputs may be none that the model is meant for: a size is free, or the values of integers are."""
    return _has_free_sizes(wanted, target) or bool(_guessed(wanted, target, ranges))


def _guessed(wanted: Sequence[TensorInfo], target: TargetConfig, ranges: Ranges) -> frozenset[str]:
    """Integers of which nothing is known: indices, lengths, labels."""
    told = {*ranges, *(name for name, spec in target.inputs.items() if spec.range is not None)}
    return frozenset(w.name for w in wanted if _numpy(w.dtype).kind in "iu" and w.name not in told)


def _has_free_sizes(wanted: Sequence[TensorInfo], target: TargetConfig) -> bool:
    return any(not (isinstance(n, int) and n > 0) for w in wanted for n in w.shape[1:] or w.shape) and not all(
        w.name in target.inputs for w in wanted
    )


def _numpy(dtype: str) -> np.dtype:
    if dtype in ("bfloat16", "") or dtype.startswith("float8"):
        return np.dtype(np.float32)
    return np.dtype(object) if dtype in ("str", "string") else np.dtype(dtype)


def _count(inputs: InputSet) -> int:
    return next((len(a) for a in inputs.feeds.values() if a.ndim), 1)
