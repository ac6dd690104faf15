"""Products, norms and matrices, as torch has them."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import numpy as np

from analyzer.tracing.samples.arguments import Array, Function, as_axes


def _matmul(input: Array, other: Array) -> Array:
    return np.matmul(input, other)


def _einsum(equation: str, *operands: Any) -> Array:
    given = operands[0] if len(operands) == 1 and isinstance(operands[0], (list, tuple)) else operands
    return np.einsum(equation, *given)


def _cross(input: Array, other: Array, dim: int | None = None) -> Array:
    return np.cross(input, other, axis=input.shape.index(3) if dim is None else dim)


def _softmax(input: Array, dim: int = -1, **_: Any) -> Array:
    shifted = np.exp(input - input.max(axis=dim, keepdims=True))
    return shifted / shifted.sum(axis=dim, keepdims=True)


def _norm(input: Array, p: Any = 2, dim: Any = None, keepdim: bool = False, **_: Any) -> Array:
    if p in ("fro", None, 2, 2.0):
        return np.sqrt(np.sum(np.square(np.abs(input)), axis=as_axes(dim), keepdims=keepdim))
    return np.linalg.norm(input, p, axis=as_axes(dim), keepdims=keepdim)


def _vector_norm(x: Array, ord: Any = 2, dim: Any = None, keepdim: bool = False, **_: Any) -> Array:
    return _norm(x, ord, dim, keepdim)


def _cdist(x1: Array, x2: Array, p: float = 2.0) -> Array:
    apart = np.abs(x1[..., :, None, :] - x2[..., None, :, :])
    return np.sqrt((apart**2).sum(-1)) if p == 2 else (apart**p).sum(-1) ** (1 / p)


def _addmm(input: Array, mat1: Array, mat2: Array, *, beta: Any = 1, alpha: Any = 1) -> Array:
    return beta * input + alpha * np.matmul(mat1, mat2)


def _block_diag(*tensors: Array) -> Array:
    given = [np.atleast_2d(t) for t in tensors]
    found = np.zeros((sum(t.shape[0] for t in given), sum(t.shape[1] for t in given)), given[0].dtype)
    row = column = 0
    for part in given:
        found[row : row + part.shape[0], column : column + part.shape[1]] = part
        row, column = row + part.shape[0], column + part.shape[1]
    return found


def _log_softmax(input: Array, dim: int = -1, **_: Any) -> Array:
    return np.log(_softmax(input, dim))


FUNCTIONS: Mapping[str, Function] = MappingProxyType({
    "outer": np.outer, "dot": np.dot, "t": np.transpose, "norm": _norm, "vector_norm": _vector_norm, "matmul": _matmul,
    "mm": _matmul, "bmm": _matmul, "mv": _matmul, "trace": np.trace, "kron": np.kron, "block_diag": _block_diag,
    "addmm": _addmm, "baddbmm": _addmm, "inverse": np.linalg.inv, "inv": np.linalg.inv, "det": np.linalg.det,
    "solve": np.linalg.solve, "cholesky": np.linalg.cholesky, "matrix_rank": np.linalg.matrix_rank,
    "matrix_power": np.linalg.matrix_power, "pinv": np.linalg.pinv, "einsum": _einsum, "cdist": _cdist,
    "softmax": _softmax, "log_softmax": _log_softmax, "cross": _cross,
})  # fmt: skip
