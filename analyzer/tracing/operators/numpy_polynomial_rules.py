"""NumPy's polynomials: values have the shape of what they are asked for at, roots are as many as the degree."""

from __future__ import annotations

from analyzer.tracing.language.builtins import Call
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Native, Value
from analyzer.tracing.operators.numpy_operands import array, made, of, unknown
from analyzer.tracing.operators.table import Op, operator

_KINDS = "polynomial legendre chebyshev hermite hermite_e laguerre"
_SHORT = dict(zip(_KINDS.split(), ["poly", "leg", "cheb", "herm", "herme", "lag"], strict=True))


def _each(pattern: str) -> str:
    return " ".join(f"numpy.polynomial.{home}." + pattern.replace("*", short) for home, short in _SHORT.items())


def _row(op: Op, value: Value) -> Tensor | None:
    """An array of one axis whose length is known."""
    found = array(op, value)
    return found if found is not None and found.dims is not None and len(found.dims) == 1 else None


@operator("numpy.roots", "p")
def roots(op: Op, p: Value) -> Value:
    """As many as the degree; coefficients in front that are 0 make it less, and those at the end do not."""
    found = _row(op, p)
    first = p.items[0] if getattr(p, "items", None) and isinstance(p.items, list) else None
    leads = isinstance(first, (int, float)) and first != 0
    if found is None or found.dims is None or not leads:
        return unknown(op)
    return made(op, (found.dims[0] - 1,))


@operator("numpy.poly1d", "c_or_r *rest")
def polynomial(op: Op, c_or_r: Value, rest: tuple[Value, ...]) -> Value:
    """A function of arrays, element by element."""

    def at(c: Call) -> Value:
        found = array(op, c.get(0, "val"))
        return unknown(op) if found is None else of(op, found, found.shape)

    return Native("poly1d", at)


@operator(_each("*val"), "x c *rest")
def value_at(op: Op, x: Value, c: Value, rest: tuple[Value, ...]) -> Value:
    """Of coefficients in a row each element has one value."""
    found, coefficients = array(op, x), array(op, c)
    if found is None or coefficients is None or coefficients.dims is None or len(coefficients.dims) != 1:
        return unknown(op)
    return of(op, found, found.shape)


_GAUSS = "legendre.leggauss chebyshev.chebgauss hermite.hermgauss hermite_e.hermegauss laguerre.laggauss"


@operator(" ".join(f"numpy.polynomial.{name}" for name in _GAUSS.split()), "deg")
def nodes_and_weights(op: Op, deg: Value) -> Value:
    size = op.tr.term_of(deg)
    dims = None if size is None else (size,)
    return made(op, dims, "float64"), made(op, dims, "float64")


@operator(_each("*vander"), "x deg")
def powers(op: Op, x: Value, deg: Value) -> Value:
    """The powers of each element along a new last axis, from 0 to the degree."""
    found, degree = array(op, x), op.tr.term_of(deg)
    if found is None or found.dims is None or degree is None:
        return unknown(op)
    return of(op, found, (*(found.dims or (1,)), degree + 1))
