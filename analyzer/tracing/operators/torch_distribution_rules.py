"""torch.distributions: the shapes of samples and of their log-probabilities."""

from __future__ import annotations

from typing import Any

from analyzer.tracing.operators.elementwise import broadcast
from analyzer.tracing.operators.operands import tensor_of, unknown_tensor
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.torch_operands import shape_argument
from analyzer.tracing.tensors import Tensor
from analyzer.tracing.tracer import Tracer
from analyzer.tracing.values import Object, Unknown, Value
from analyzer.validity.terms import Poly, equal

_EACH = "Normal Beta Uniform Gamma Exponential Laplace Cauchy LogNormal StudentT Bernoulli Poisson Gumbel HalfNormal"
_HOMES = ("torch.distributions", "torch.distributions.normal", "torch.distributions.categorical")


@operator(" ".join(f"{home}.{name}" for home in _HOMES for name in _EACH.split()), "*args")
def elementwise(op: Op, args: tuple[Value, ...]) -> Value:
    """Every element has its parameters; numbers alone give scalars."""
    dims: tuple[Any, ...] | None = ()
    for value in (*args, *(v for k, v in op.extra.items() if k != "validate_args")):
        if isinstance(value, (int, float, Poly)):
            continue
        if isinstance(value, Unknown) and value.pytype in ("int", "float"):
            continue
        found = value if isinstance(value, Tensor) else None
        if found is None or found.dims is None or dims is None:
            dims = None
        elif not dims or not found.dims or dims == found.dims:
            dims = found.dims or dims
        else:
            both = broadcast(op, "+", Tensor(dims), found, "torch")
            dims = both.dims if isinstance(both, Tensor) else None
    return Object("distribution", data={"dims": dims, "dtype": "float32"}, site=op.where)


@operator(" ".join(f"{home}.Categorical" for home in _HOMES), "probs=None logits=None *rest")
def categorical(op: Op, probs: Value, logits: Value, rest: tuple[Value, ...]) -> Value:
    """The last axis is that of the classes."""
    found = tensor_of(op.tr, probs if probs is not None else logits, "torch")
    dims = found.dims[:-1] if found is not None and found.dims else None
    return Object("distribution", data={"dims": dims, "dtype": "int64"}, site=op.where)


@operator(
    "torch.distributions.MultivariateNormal torch.distributions.multivariate_normal.MultivariateNormal",
    "loc covariance_matrix=None precision_matrix=None scale_tril=None *rest",
)
def vectors(
    op: Op, loc: Value, covariance_matrix: Value, precision_matrix: Value, scale_tril: Value, rest: tuple[Value, ...]
) -> Value:
    """A sample is a vector: the last axis of the mean is that of one event, the others and the matrices' broadcast."""
    given = [m for m in (covariance_matrix, precision_matrix, scale_tril) if m is not None]
    matrix = given[0] if len(given) == 1 else None
    dims, event, kind = None, None, None
    if isinstance(loc, Tensor) and isinstance(matrix, Tensor) and loc.dims and matrix.dims and len(matrix.dims) > 1:
        size = loc.dims[-1]
        if equal(size, matrix.dims[-1]) and equal(size, matrix.dims[-2]):
            both = broadcast(op, "+", Tensor(loc.dims[:-1]), Tensor(matrix.dims[:-2]), "torch")
            dims, event = both.dims if isinstance(both, Tensor) else None, (size,)
            kind = loc.dtype if loc.dtype == matrix.dtype else None
    return Object("distribution", data={"dims": dims, "event": event, "dtype": kind}, site=op.where)


def distribution_method(
    tr: Tracer, owner: Object, name: str, args: tuple[Value, ...], kwargs: dict[str, Value]
) -> Value:
    """Methods of a distribution."""
    op = Op(tr, f"torch.distributions.{name}")
    dims: tuple[Any, ...] | None = owner.data["dims"]
    event: tuple[Any, ...] = owner.data.get("event", ())
    if dims is None:
        return unknown_tensor(op, "torch")
    if name in ("sample", "rsample", "sample_n"):
        first = args[0] if args else kwargs.get("sample_shape", ())
        before = shape_argument(op, (first,)) if first != () else ()
        if not isinstance(before, tuple):
            return unknown_tensor(op, "torch")
        return op.finish(Tensor((*before, *dims, *event), owner.data["dtype"], "torch", site=op.where))
    if event:
        return _of_vectors(op, owner, name, args)
    if name == "entropy":
        return op.finish(Tensor(dims, "float32", "torch", site=op.where))
    if name in ("log_prob", "cdf", "icdf") and args and isinstance(args[0], Tensor):
        return broadcast(op, "+", args[0], Tensor(dims, "float32", "torch", site=owner.site), "torch", "float32")
    return unknown_tensor(op, "torch")


def _of_vectors(op: Op, owner: Object, name: str, args: tuple[Value, ...]) -> Value:
    """One number for each vector; samples of another size are left open."""
    dims, size, kind = owner.data["dims"], owner.data["event"][0], owner.data["dtype"]
    batch = Tensor(dims, kind, "torch", site=owner.site)
    if name == "entropy":
        return op.finish(batch)
    found = args[0] if name == "log_prob" and args and isinstance(args[0], Tensor) else None
    if found is None or not found.dims or not equal(found.dims[-1], size):
        return unknown_tensor(op, "torch")
    each = Tensor(found.dims[:-1], found.dtype, "torch", site=found.site, sources=(found,))
    return broadcast(op, "+", each, batch, "torch")
