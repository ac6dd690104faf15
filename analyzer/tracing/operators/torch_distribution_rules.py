"""torch.distributions: the shapes of samples and of their log-probabilities."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from analyzer.tracing.language.tensors import Size, Tensor, show_shape
from analyzer.tracing.language.values import Instance, Object, Unknown, Value
from analyzer.tracing.operators.element_types import default_float
from analyzer.tracing.operators.elementwise import broadcast, fit_last
from analyzer.tracing.operators.hyperparameters import FLOATS
from analyzer.tracing.operators.operands import items_of, tensor_of, unknown_tensor
from analyzer.tracing.operators.refusals import fail, require
from analyzer.tracing.operators.table import Op, operator
from analyzer.tracing.operators.torch_operands import shape_argument
from analyzer.tracing.paths.tracer import Tracer
from analyzer.validity.terms import Poly, equal

_EACH = (
    "Normal", "Beta", "Uniform", "Gamma", "Exponential", "Laplace", "Cauchy", "LogNormal", "StudentT",
    "Bernoulli", "Poisson", "Gumbel", "HalfNormal", "HalfCauchy", "Chi2", "ContinuousBernoulli",
    "FisherSnedecor", "Geometric", "Pareto", "VonMises", "Weibull", "Kumaraswamy", "Binomial",
    "NegativeBinomial", "InverseGamma",
)  # fmt: skip
_VECTORS = ("Dirichlet", "OneHotCategorical", "OneHotCategoricalStraightThrough")  # the last axis is that of one event
METHODS = frozenset(("sample", "rsample", "sample_n", "log_prob", "cdf", "icdf", "entropy"))
_MOMENTS = ("mean", "stddev", "variance")
# What a subclass may define that changes the shapes which the methods of its base give.
_SHAPING = ("_extended_shape", "batch_shape", "event_shape", "_batch_shape", "_event_shape", "_validate_sample")


def _homes(name: str) -> str:
    """The dotted names of a distribution: of the package, and of the module that defines it."""
    modules = {
        "LogNormal": "log_normal", "StudentT": "studentT", "HalfNormal": "half_normal", "HalfCauchy": "half_cauchy",
        "ContinuousBernoulli": "continuous_bernoulli", "FisherSnedecor": "fishersnedecor", "VonMises": "von_mises",
        "NegativeBinomial": "negative_binomial", "InverseGamma": "inverse_gamma",
        "OneHotCategorical": "one_hot_categorical", "OneHotCategoricalStraightThrough": "one_hot_categorical",
    }  # fmt: skip
    return f"torch.distributions.{name} torch.distributions.{modules.get(name, name.lower())}.{name}"


def _made(op: Op, dims: Any, dtype: str | None, event: Any = (), **parameters: Any) -> Object:
    """A distribution: the sizes of its batch and of one event, and the tensors that its attributes are."""
    attrs: dict[str, Value] = {}
    if dims is not None:
        attrs = {n: Tensor((*dims, *event), None, "torch", site=op.where) for n in _MOMENTS}
        attrs |= {n: Tensor(sizes, None, "torch", site=op.where) for n, sizes in parameters.items()}
        for held in attrs.values():
            held.written = True  # what the parameters are decides its elements
        attrs |= {"batch_shape": Size(dims), "event_shape": Size(event)}
    return Object("distribution", attrs, {"dims": dims, "event": event, "dtype": dtype}, site=op.where)


@operator(" ".join(map(_homes, _EACH)), "*args")
def elementwise(op: Op, args: tuple[Value, ...]) -> Value:
    """Every element has its parameters; numbers alone give scalars."""
    dims: tuple[Any, ...] | None = ()
    given = (*args, *(v for k, v in op.extra.items() if k != "validate_args"))
    last = None
    for left, right in pairwise(v for v in given if isinstance(v, Tensor)):
        if left.dims is None or right.dims is None:
            last = fit_last(op, op.short, left, right)
    for value in given:
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
    kinds = {v.dtype for v in given if isinstance(v, Tensor)}
    one = next(iter(kinds)) if len(kinds) == 1 and kinds <= set(FLOATS) else None
    made = _made(op, dims, one if kinds else default_float(op.tr))
    made.data["last"] = last if len(given) == 2 else None  # size of a batch of unknown rank
    return made


@operator(_homes("Categorical"), "probs=None logits=None *rest")
def categorical(op: Op, probs: Value, logits: Value, rest: tuple[Value, ...]) -> Value:
    """The last axis is that of the classes."""
    found = tensor_of(op.tr, probs if probs is not None else logits, "torch")
    if found is None or not found.dims:
        return _made(op, None, "int64")
    return _made(op, found.dims[:-1], "int64", probs=found.dims, logits=found.dims)


@operator(" ".join(map(_homes, _VECTORS)), "*args")
def of_vectors(op: Op, args: tuple[Value, ...]) -> Value:
    """A sample has the size of the parameter, whose last axis is that of one event."""
    given = [v for v in (*args, *(op.extra.get(n) for n in ("concentration", "probs", "logits"))) if v is not None]
    found = given[0] if len(given) == 1 and isinstance(given[0], Tensor) else None
    if found is None or not found.dims:
        return _made(op, None, None)
    own = {} if op.short == "Dirichlet" else {"probs": found.dims, "logits": found.dims}
    return _made(op, found.dims[:-1], None, found.dims[-1:], **own)


@operator(_homes("Independent"), "base_distribution reinterpreted_batch_ndims *rest")
def independent(op: Op, base_distribution: Value, reinterpreted_batch_ndims: Value, rest: tuple[Value, ...]) -> Value:
    """The last axes of the batch become those of one event."""
    known = base_distribution.data if isinstance(base_distribution, Object) else {}
    dims, count = known.get("dims"), reinterpreted_batch_ndims
    if dims is None or known.get("event") is None or type(count) is not int or not 0 <= count <= len(dims):
        return _made(op, None, None)
    return _made(op, dims[: len(dims) - count], known["dtype"], (*dims[len(dims) - count :], *known["event"]))


@operator("torch.distributions.kl_divergence torch.distributions.kl.kl_divergence", "p q")
def divergence(op: Op, p: Value, q: Value) -> Value:
    """One number for each pair of distributions."""
    batches = [v.data.get("dims") if isinstance(v, Object) and v.kind == "distribution" else None for v in (p, q)]
    if batches[0] is None or batches[1] is None:
        return unknown_tensor(op, "torch")
    left, right = (Tensor(dims, None, "torch", site=op.where) for dims in batches)
    return broadcast(op, "+", left, right, "torch")


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
    dims: Any = None
    event: Any = ()
    kind = torn = None
    if isinstance(loc, Tensor) and isinstance(matrix, Tensor) and loc.dims and matrix.dims and len(matrix.dims) > 1:
        size = loc.dims[-1]
        if equal(matrix.dims[-1], matrix.dims[-2]) is False:
            told = f"a square matrix is needed, but the shape is {show_shape(matrix.dims)}"
            fail(op, "square", told, (matrix,))
        if equal(size, matrix.dims[-1]) is False:
            torn = loc, matrix
        if equal(size, matrix.dims[-1]) and equal(size, matrix.dims[-2]):
            both = broadcast(op, "+", Tensor(loc.dims[:-1]), Tensor(matrix.dims[:-2]), "torch")
            dims, event = both.dims if isinstance(both, Tensor) else None, (size,)
            kind = loc.dtype if loc.dtype == matrix.dtype else None
    made = _made(op, dims, kind, event)
    made.data["torn"] = torn
    return made


_MULTIPLYING = ("sample", "rsample", "sample_n", "log_prob")


def _demand_one_size(op: Op, loc: Tensor, matrix: Tensor) -> None:
    """PyTorch finds only where it multiplies them that a mean and its matrix are of other sizes."""
    told = f"a mean of shape {show_shape(loc.dims or ())} stands beside a matrix {show_shape(matrix.dims or ())}"
    fail(op, "size", told, (loc, matrix))


_MIXTURES = "torch.distributions.MixtureSameFamily torch.distributions.mixture_same_family.MixtureSameFamily"


@operator(_MIXTURES, "mixture_distribution component_distribution *rest")
def mixture(op: Op, mixture_distribution: Value, component_distribution: Value, rest: tuple[Value, ...]) -> Value:
    """One of the components, along the last axis of their batch, of which the other distribution chooses."""
    known = component_distribution.data if isinstance(component_distribution, Object) else {}
    chosen = mixture_distribution.data if isinstance(mixture_distribution, Object) else {}
    dims, event = known.get("dims"), known.get("event")
    if not dims or event is None or chosen.get("dims") is None:
        return _made(op, None, None)
    weights = mixture_distribution.attrs.get("logits") if isinstance(mixture_distribution, Object) else None
    if isinstance(weights, Tensor) and weights.dims:
        sentence = f"{weights.dims[-1]} components are chosen of and the batch of the others is {show_shape(dims)}"
        require(op, equal(weights.dims[-1], dims[-1]), "same-shape", sentence, (weights,))
    return _made(op, dims[:-1], known["dtype"], event)


_LOW_RANKS = "torch.distributions.LowRankMultivariateNormal"


@operator(
    f"{_LOW_RANKS} torch.distributions.lowrank_multivariate_normal.LowRankMultivariateNormal",
    "loc cov_factor cov_diag *rest",
)
def low_rank_vectors(op: Op, loc: Value, cov_factor: Value, cov_diag: Value, rest: tuple[Value, ...]) -> Value:
    """A sample is a vector of the size of the mean; all batches are broadcast."""
    given = [v for v in (loc, cov_factor, cov_diag) if isinstance(v, Tensor) and v.dims]
    if len(given) < 3 or len(given[1].dims or ()) < 2:
        return _made(op, None, None)
    lead: Value = Tensor((given[0].dims or ())[:-1])
    for own in ((given[1].dims or ())[:-2], (given[2].dims or ())[:-1]):
        lead = broadcast(op, "+", lead, Tensor(own), "torch")
    return _made(op, lead.dims if isinstance(lead, Tensor) else None, given[0].dtype, (given[0].dims or ())[-1:])


_KEEPING = frozenset(
    ("AbsTransform", "AffineTransform", "ExpTransform", "PowerTransform", "SigmoidTransform", "SoftplusTransform",
     "TanhTransform")
)  # fmt: skip


@operator(" ".join(f"torch.distributions.{n} torch.distributions.transforms.{n}" for n in sorted(_KEEPING)), "*args")
def transform(op: Op, args: tuple[Value, ...]) -> Value:
    """A function of each element; only one of numbers keeps every shape."""
    scalars = all(isinstance(v, (int, float)) for v in (*args, *op.extra.values()))
    return Object("transform", data={"keeps": scalars}, site=op.where)


@operator(
    "torch.distributions.TransformedDistribution torch.distributions.transformed_distribution.TransformedDistribution",
    "base_distribution transforms *rest",
)
def transformed(op: Op, base_distribution: Value, transforms: Value, rest: tuple[Value, ...]) -> Value:
    """What functions of each element make of a distribution has its sizes."""
    known = base_distribution.data if isinstance(base_distribution, Object) else {}
    steps = items_of(transforms) or [transforms]
    kept = all(isinstance(t, Object) and t.kind == "transform" and t.data["keeps"] for t in steps)
    if known.get("dims") is None or not kept:
        return _made(op, None, None)
    made = _made(op, known["dims"], known["dtype"], known.get("event", ()))
    for name in _MOMENTS:
        made.attrs.pop(name)
    return made


def distribution_method(
    tr: Tracer, owner: Object, name: str, args: tuple[Value, ...], kwargs: dict[str, Value]
) -> Value:
    """Methods of a distribution."""
    op = Op(tr, f"torch.distributions.{name}")
    dims: tuple[Any, ...] | None = owner.data["dims"]
    event: tuple[Any, ...] = owner.data.get("event", ())
    if owner.data.get("torn") is not None and name in _MULTIPLYING:
        _demand_one_size(op, *owner.data["torn"])
    if dims is None:
        found = unknown_tensor(op, "torch")
        if name in ("sample", "rsample") and owner.data.get("last") is not None:
            found.shape.back[-1] = owner.data["last"]
        return found
    if name in ("sample", "rsample", "sample_n"):
        first = args[0] if args else kwargs.get("sample_shape", ())
        before = shape_argument(op, (first,)) if first != () else ()
        if not isinstance(before, tuple):
            return unknown_tensor(op, "torch")
        return op.finish(Tensor((*before, *dims, *event), owner.data["dtype"], "torch", site=op.where))
    if event:
        return _of_events(op, owner, name, args)
    if name == "entropy":
        return op.finish(Tensor(dims, default_float(op.tr), "torch", site=op.where))
    if name in ("log_prob", "cdf", "icdf") and args and isinstance(args[0], Tensor):
        kind = default_float(op.tr)
        return broadcast(op, "+", args[0], Tensor(dims, kind, "torch", site=owner.site), "torch", kind or "")
    return unknown_tensor(op, "torch")


def _of_events(op: Op, owner: Object, name: str, args: tuple[Value, ...]) -> Value:
    """One number for each event; samples of another size are left open."""
    dims, event, kind = owner.data["dims"], owner.data["event"], owner.data["dtype"]
    batch = Tensor(dims, kind, "torch", site=owner.site)
    if name == "entropy":
        return op.finish(batch)
    found = args[0] if name == "log_prob" and args and isinstance(args[0], Tensor) else None
    if found is None or found.dims is None or len(found.dims) < len(event):
        return unknown_tensor(op, "torch")
    rest = len(found.dims) - len(event)
    if not all(equal(a, b) is True for a, b in zip(found.dims[rest:], event, strict=True)):
        return unknown_tensor(op, "torch")
    each = Tensor(found.dims[:rest], found.dtype, "torch", site=found.site, sources=(found,))
    return broadcast(op, "+", each, batch, "torch")


HELD = "__distribution__"  # attribute of an object whose class inherits from a distribution: what its base is


def is_distribution(name: str) -> bool:
    """Whether a library's class is a distribution that is told of here."""
    return name.startswith("torch.distributions.") and name.rpartition(".")[2] in _KNOWN


_KNOWN = frozenset((*_EACH, *_VECTORS, "Categorical", "Independent", "MultivariateNormal", "MixtureSameFamily"))


def inherited(owner: Instance, name: str) -> Object | None:
    """The distribution whose method or attribute an object has from its base."""
    held = owner.attrs.get(HELD)
    if not isinstance(held, Object) or (name not in METHODS and name not in held.attrs):
        return None
    return None if any(owner.cls.find(own) for own in _SHAPING) else held
