"""`scipy.special`: functions of several arrays that are broadcast, and nodes of quadratures."""

from __future__ import annotations

from analyzer.tracing.language.builtins import Call
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Native, Unknown, Value
from analyzer.tracing.operators.elementwise import broadcast
from analyzer.tracing.operators.numpy_operands import array, made, of, unknown
from analyzer.tracing.operators.table import Op, operator


def _names(names: str) -> str:
    return " ".join(f"scipy.special.{name}" for name in names.split())


_SEVERAL = """fdtr fdtrc fdtri stdtr stdtrit betainc betaincinv btdtr bdtr bdtrc nbdtr chdtr chdtrc gdtr eval_legendre
    eval_chebyt eval_chebyu eval_hermite eval_hermitenorm eval_laguerre eval_jacobi eval_gegenbauer hyp1f1 hyp2f1 hyp0f1
    boxcox boxcox1p inv_boxcox agm elliprf ellipkinc ellipeinc pdtr pdtrc struve"""


@operator(_names(_SEVERAL), "*args")
def together(op: Op, args: tuple[Value, ...]) -> Value:
    if set(op.extra) - {"out", "where"}:
        return unknown(op)
    if all(isinstance(a, (int, float)) for a in args):
        return Unknown("a number", "data", pytype="float")
    found = array(op, args[0]) if args else None
    for part in args[1:]:
        result = broadcast(op, "+", found, part, "numpy") if found is not None else None
        found = result if isinstance(result, Tensor) else None
    return unknown(op) if found is None else made(op, found.dims)


@operator(_names("lambertw"), "z *rest")
def each(op: Op, z: Value, rest: tuple[Value, ...]) -> Value:
    found = array(op, z)
    return unknown(op) if found is None else of(op, found, found.dims)


_ROOTS = "legendre chebyt chebyu hermite hermitenorm laguerre sh_legendre"


@operator(_names(" ".join(f"roots_{name}" for name in _ROOTS.split())), "n *rest")
def nodes(op: Op, n: Value, rest: tuple[Value, ...]) -> Value:
    size = op.tr.term_of(n)
    if rest or op.extra:
        return op.tr.unknown(f"{op.short}()", "imprecise")
    dims = None if size is None else (size,)
    return made(op, dims, "float64"), made(op, dims, "float64")


@operator(_names("legendre chebyt chebyu hermite hermitenorm laguerre"), "n *rest")
def polynomial(op: Op, n: Value, rest: tuple[Value, ...]) -> Value:
    def at(c: Call) -> Value:
        found = array(op, c.get(0))
        return unknown(op) if found is None else of(op, found, found.dims)

    return Native(op.short, at)
