"""Numbers that a program draws at random, drawn here: those of `torch`, of NumPy and of Python's own `random`."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import ListV, Value

SEED = 0  # of the numbers that are made up: two runs of this analysis agree
_UNIFORM = frozenset(("rand", "rand_like"))
_NORMAL = frozenset(("randn", "randn_like", "normal"))
_OF_NUMPY = {"randint": "integers", "rand": "random", "randn": "standard_normal", "random_sample": "random"} | {
    name: name
    for name in ("integers", "random", "standard_normal", "normal", "uniform", "choice", "permutation", "binomial",
                 "poisson", "exponential")
}  # fmt: skip
_NUMBERS = frozenset(("random", "uniform", "gauss", "randint", "randrange"))


class Chance:
    """The random generators of one run."""

    def __init__(self) -> None:
        self._draws = np.random.default_rng(SEED)
        self._python = random.Random(SEED)

    def elements(self, kind: str, dims: Sequence[Any]) -> Any:
        """Elements for a tensor of which nothing is known but its type."""
        if kind == "bool":
            return self._draws.random(dims) < 0.5
        if kind.startswith(("int", "uint")):
            return self._draws.integers(0, 2, dims)
        return self._draws.standard_normal(dims).astype(np.float64 if kind == "float64" else np.float32)

    def of_torch(self, name: str, result: Value) -> Callable[..., Any] | None:
        """What draws as the function of torch does; `result` is what is known of its shape."""
        if name == "randint":
            return self._integers
        if name == "randperm":
            return lambda n, **_: self._draws.permutation(int(n))
        if name in _UNIFORM | _NORMAL and isinstance(result, Tensor) and result.dims is not None:
            dims, how = result.dims, self._draws.random if name in _UNIFORM else self._draws.standard_normal
            return lambda *_, **__: how(dims).astype(np.float32)
        return None

    def _integers(self, *given: Any, low: Any = None, high: Any = None, size: Any = None, **_: Any) -> Any:
        numbers = [g for g in given if not isinstance(g, (list, tuple))]
        sizes = size if size is not None else next(g for g in given if isinstance(g, (list, tuple)))
        lowest = low if low is not None else numbers[0] if len(numbers) > 1 else 0
        return self._draws.integers(lowest, high if high is not None else numbers[-1], tuple(sizes))

    def of_numpy(self, name: str) -> Callable[..., Any] | None:
        """What draws as the function of `numpy.random` does."""
        if name not in _OF_NUMPY:
            return None
        function: Callable[..., Any] = getattr(self._draws, _OF_NUMPY[name])
        return (lambda *size: function(size or None)) if name in ("rand", "randn") else function

    def number(self, name: str) -> Callable[..., Any] | None:
        """The function of `random` that gives a number."""
        return getattr(self._python, name) if name in _NUMBERS else None

    def chosen(self, name: str, items: Sequence[Value], count: Value) -> Value:
        """What `random.choice` and `random.sample` take of elements; None where that is not known."""
        if name == "choice" and items:
            return self._python.choice(items)
        if name == "sample" and isinstance(count, int) and 0 <= count <= len(items):
            return ListV(self._python.sample(list(items), count))
        return None

    def shuffle(self, items: list[Value] | np.ndarray) -> None:
        """Another order of the elements, in place: of an array, along its first axis."""
        if isinstance(items, np.ndarray):
            self._draws.shuffle(items)
        else:
            self._python.shuffle(items)
