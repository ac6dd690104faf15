"""Example inputs from what the configuration says about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .failure import ExportFailure

Symbols = Mapping[str, Sequence[Any]]  # name -> smallest size, largest size or None


def size_of(symbol: str, symbols: Symbols, taken: dict[str, int]) -> int:
    """An example size for a symbolic dimension: inside its bounds, at least 2 if possible, unlike those of others.

    Tracers treat 0 and 1 specially and mistake equal sizes for the same dimension.
    """
    if symbol not in taken:
        low, high = ([*list(symbols.get(symbol, (1, None))), None])[:2]
        low = max(2, low or 1)
        candidates = (s for s in range(low, low + 64) if s not in taken.values())
        size = next(candidates, low)
        taken[symbol] = size if high is None or size <= high else max(1, high)
    return taken[symbol]


def concrete(shape: Sequence[Any], symbols: Symbols, taken: dict[str, int]) -> list[int]:
    """`shape` with an example size for each symbol."""
    return [d if isinstance(d, int) else size_of(str(d), symbols, taken) for d in shape]


def array(name: str, spec: Mapping[str, Any], symbols: Symbols, taken: dict[str, int], seed: int = 0) -> Any:
    """A NumPy array of the described shape, dtype and range. Raises `ExportFailure` without a shape."""
    import numpy

    if spec.get("shape") is None:
        raise ExportFailure(
            f"input {name!r} has no shape; the entry point gives no example inputs, so "
            f"`inputs: {name}: {{shape: […]}}` is needed in the configuration"
        )
    shape = concrete(spec["shape"], symbols, taken)
    dtype = str(spec.get("dtype") or "float32")
    low, high = spec.get("range") or (None, None)
    generator = numpy.random.default_rng(seed)
    if dtype == "bool":
        return generator.integers(0, 2, shape).astype(bool)
    if dtype.startswith(("int", "uint")):
        lowest = int(low) if low is not None else 0
        highest = int(high) if high is not None else max(lowest, 1)
        return generator.integers(lowest, min(highest, 2**31), shape, endpoint=True).astype(dtype)
    bottom = float(low) if low is not None else 0.0
    top = float(high) if high is not None else max(bottom, 1.0)
    values = generator.uniform(max(bottom, -1e6), min(top, 1e6), shape)
    if dtype == "bfloat16":
        return values.astype("float32")
    return values.astype(dtype)


def match(names: Sequence[str], described: Mapping[str, Any]) -> dict[str, Any]:
    """What the configuration says of each of the model's inputs: by name, the others in order."""
    chosen = {name: described[name] for name in names if name in described}
    rest = [described[key] for key in described if key not in chosen]
    for name in names:
        if name not in chosen and rest:
            chosen[name] = rest.pop(0)
    return chosen


def check(name: str, actual: tuple[int, ...], spec: Mapping[str, Any] | None) -> None:
    """Raises `ExportFailure` where example inputs and configuration contradict each other."""
    wanted = (spec or {}).get("shape")
    if wanted is None:
        return
    agrees = len(wanted) == len(actual) and all(
        not isinstance(size, int) or size == actual[axis] for axis, size in enumerate(wanted)
    )
    if not agrees:
        raise ExportFailure(
            f"input {name!r}: the configuration says shape {_shape(wanted)}, the entry point's example has "
            f"{_shape(actual)}; correct one of them"
        )


def _shape(dims: Sequence[Any]) -> str:
    return "[" + ", ".join(str(d) for d in dims) + "]"
