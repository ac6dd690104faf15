"""Which numbers the elements of a tensor can be, so that either side of a question about them is really possible.

An error behind `if x.sum() > 0` is an error where data makes the sum positive. Behind `if torch.rand(3).min() < 0` it
is none, as nothing ever gets there. A span lists numbers that *are* attained, each by every element and whatever the
others are: what no rule here tells of attains nothing that is known, and nothing is proved behind a question about it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

from analyzer.tracing.language.tensors import Making, Tensor
from analyzer.tracing.language.values import DictV, Layer, ListV, Unknown, Value
from analyzer.validity.terms import product

MOST_STEPS = 200  # of the making of a tensor that are looked back over
TINY = 1e-6  # a layer drawn at random about 0 gives numbers of either sign


class Span(NamedTuple):
    """Every number between, the ends too where `closed`; of whole numbers, these alone."""

    low: float
    high: float
    closed: bool = False
    whole: bool = False

    def below(self, limit: float, same: bool) -> bool:
        """Whether a number below the limit, or at it if `same`, is attained."""
        return self.low < limit or (same and self.closed and self.low == limit)

    def above(self, limit: float, same: bool) -> bool:
        return self.high > limit or (same and self.closed and self.high == limit)

    def has(self, number: float) -> bool:
        if self.whole and number != math.floor(number):
            return False
        return self.low < number < self.high or (self.closed and number in (self.low, self.high))

    @property
    def point(self) -> bool:
        return self.low == self.high


REAL = Span(-math.inf, math.inf)
UNIT = Span(0.0, 1.0)


def attained(value: Value, budget: int = MOST_STEPS) -> Span | None:
    """Numbers that are attained; None where none is known to be."""
    if isinstance(value, bool):
        return None
    if isinstance(value, (int, float)):
        return Span(float(value), float(value), True) if math.isfinite(value) else None
    if isinstance(value, Unknown):
        if value.element is not None:
            return attained(value.element, budget - 1)
        return REAL if value.known_source and value.pytype in ("", "int", "float", "number") else None
    if isinstance(value, ListV):
        return _common(value.items, budget) if not value.open else None
    if isinstance(value, tuple):
        return _common(value, budget)
    if not isinstance(value, Tensor) or budget <= 0:
        return None
    if value.dims == () and isinstance(value.value, int):
        return Span(float(value.value), float(value.value), True)
    making = making_of(value)
    if making is None:
        return of_leaf(value)
    if is_drawn(value) and making.kwargs.get("generator") is not None:
        return None  # which its seed decides
    rule = _RULES.get(making.short)
    if rule is None and isinstance(making.owner, Layer):
        return _of_layer(making, budget - 1)
    return rule(making, value, budget - 1) if rule is not None else None


def is_drawn(value: Value) -> bool:
    """Whether it is what a generator of numbers gives, which a seed may decide, or a part of that."""
    for _ in range(MOST_STEPS):
        making = value.making if isinstance(value, Tensor) else None
        if making is None or making.short in _DRAWN or making.short not in KEEPING or not making.args:
            return making is not None and making.short in _DRAWN
        value = making.args[0]
    return False


def share(budget: int, *values: Value) -> int:
    """Of the steps what each value gets whose making is looked back over: all of them together take no more."""
    return budget // max(1, sum(not isinstance(v, (int, float)) for v in values))


def leaves(value: Value) -> frozenset[int]:
    """What decides it, by identity: tensors that are given or drawn, and layers whose weights are drawn."""
    return _leaves(value, {})


def _leaves(part: Value, known: dict[int, frozenset[int]]) -> frozenset[int]:
    """`known` are those of the parts that have been looked at; of what holds itself, and of the rest, none."""
    if id(part) in known or len(known) >= MOST_STEPS:
        return known.get(id(part), frozenset())
    found: frozenset[int] = frozenset()
    known[id(part)] = found
    if isinstance(part, Unknown):
        found = frozenset((id(part),)) if part.element is None else _leaves(part.element, known)
    elif isinstance(part, (ListV, tuple, DictV)):
        found = found.union(*(_leaves(held, known) for held in _held(part)))
    elif isinstance(part, Tensor):
        making = part.making
        if making is None:
            found = frozenset() if part.written else frozenset((id(part),))
        elif making.short in _DRAWN:
            found = frozenset((id(part),))
        else:
            found = found.union(*(_leaves(held, known) for held in (*making.args, *making.kwargs.values())))
            if not found and isinstance(making.owner, Layer):
                found = frozenset((id(making.owner),))
    known[id(part)] = found
    return found


def _held(part: Value) -> Iterable[Value]:
    return part.items.values() if isinstance(part, DictV) else part.items if isinstance(part, ListV) else part


def making_of(tensor: Tensor) -> Making | None:
    """How it was made, if it was: and nothing was written into it since, or `_LOST`."""
    making = tensor.making
    return _LOST if tensor.memory.writes != (making.writes if making is not None else 0) else making


_LOST = Making("", (), {}, 0)


_LEAST = {"bool": 1.0, "uint8": 255.0}  # element types of numbers that are not negative, and the largest of each


def of_leaf(tensor: Tensor) -> Span | None:
    """Of what is given to the program."""
    if tensor.written or tensor.sources or "variable" in tensor.tags:
        return None
    kind = tensor.dtype or ""
    if kind in _LEAST:
        return Span(0.0, _LEAST[kind], True, True)
    if kind.startswith("int") and tensor.name != "label":
        return Span(-math.inf, math.inf, False, True)
    if tensor.name == "image":
        return Span(0.0, 1.0, True)
    return Span(0.0, 1.0, True, True) if tensor.name == "label" else REAL


def _common(values: Iterable[Value], budget: int) -> Span | None:
    """What each of several attains."""
    found: Span | None = None
    values = tuple(values)
    budget = share(budget - 1, *values)
    for value in values:
        own = attained(value, budget)
        if own is None or own.whole:
            return None
        if found is None:
            found = own
        else:
            low, high = max(found.low, own.low), min(found.high, own.high)
            if low > high or (low == high and not (found.closed and own.closed)):
                return None
            found = Span(low, high, found.closed and own.closed)
    return found


# ------------------------------------------------------------------------------------------------ rules

KEEPING = frozenset((
    "view", "reshape", "flatten", "squeeze", "unsqueeze", "permute", "transpose", "t", "T", "mT", "contiguous", "ravel",
    "detach", "clone", "cpu", "cuda", "to", "float", "double", "half", "numpy", "item", "data", "[]", "expand", "flip",
    "max", "min", "amax", "amin", "reduce_max", "reduce_min", "mean", "reduce_mean", "median", "requires_grad_", "cast",
    "identity", "stop_gradient", "convert_to_tensor", "as_tensor", "from_numpy", "asarray", "array", "type", "astype",
    "rearrange", "index_select", "expand_dims", "convert_to_numpy", "copy", "movedim", "swapaxes", "cat", "concat",
    "concatenate", "stack", "chunk", "split", "unbind", "tensor", "bool", "int", "round", "unflatten",
))  # fmt: skip
_TYPES = ("to", "type", "astype", "cast", "tensor", "as_tensor", "array", "asarray", "int", "round")
_REAL = frozenset(("randn", "randn_like", "standard_normal", "normal", "gauss", "normalvariate"))
_DRAWN = _REAL | {
    "rand", "rand_like", "uniform", "randint", "random", "integers", "random_sample", "randperm", "bernoulli",
    "multinomial", "dropout", "shuffle", "permutation", "choice", "sample", "rsample", "randrange", "seed",
    "randint_like", "poisson", "exponential", "truncated_normal", "categorical",
}  # fmt: skip
_LOSSES = frozenset((
    "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "cross_entropy", "binary_cross_entropy_with_logits",
))  # fmt: skip
_LAYER_LOSSES = {
    "MSELoss": "mse_loss", "L1Loss": "l1_loss", "SmoothL1Loss": "smooth_l1_loss", "HuberLoss": "huber_loss",
    "CrossEntropyLoss": "cross_entropy", "BCEWithLogitsLoss": "binary_cross_entropy_with_logits",
}  # fmt: skip


def _first(making: Making, made: Tensor, budget: int) -> Span | None:
    if making.index and making.short in ("max", "min", "median"):
        return None  # the indices
    if not making.args or (making.short in ("max", "min") and any(isinstance(v, Tensor) for v in making.args[1:])):
        return None
    chosen = making.kwargs.get("index") if making.short == "[]" else None
    if any(isinstance(v, (Tensor, ListV, Unknown)) for v in (chosen if isinstance(chosen, tuple) else (chosen,))):
        return None  # by what they are, perhaps
    found = attained(making.args[0], budget)
    if made.dtype in _LEAST and (making.short in _TYPES or making.short == "bool") and found is not None:
        return Span(0.0, _LEAST[made.dtype], True, True) if found == REAL and made.dtype == "bool" else None
    if found is not None and found != REAL and making.short in _TYPES and not (made.dtype or "").startswith("float"):
        return None
    return found


def _sum(making: Making, made: Tensor, budget: int) -> Span | None:
    found = attained(making.args[0], budget) if making.args else None
    if found is None or found == REAL:
        return found
    source = making.args[0]
    whole = len(making.args) == 1 and not making.kwargs
    count = product(source.dims) if whole and isinstance(source, Tensor) and source.dims is not None else None
    if isinstance(count, int) and count > 0:
        return Span(found.low * count, found.high * count, found.closed, found.whole)
    return found if found.low < 0 < found.high else None


def _monotone(function: Callable[[float], float], low: float = -math.inf) -> Callable[[Making, Tensor, int], Any]:
    def rule(making: Making, made: Tensor, budget: int) -> Span | None:
        found = attained(making.args[0], budget) if making.args else None
        if found is None or found.whole or found.high <= low:
            return None
        return Span(function(max(found.low, low)), function(found.high), found.closed and found.low >= low)

    return rule


def _relu(making: Making, made: Tensor, budget: int) -> Span | None:
    found = attained(making.args[0], budget) if making.args else None
    if found is None:
        return None
    if found.high <= 0:
        return Span(0.0, 0.0, True)
    return Span(0.0, found.high, True) if found.low < 0 and math.isinf(found.high) else Span(
        max(found.low, 0.0), found.high, found.closed, found.whole
    )  # fmt: skip


def _abs(making: Making, made: Tensor, budget: int) -> Span | None:
    found = attained(making.args[0], budget) if making.args else None
    if found is None or found.low >= 0:
        return found
    if found.high <= 0:
        return Span(-found.high, -found.low, found.closed, found.whole)
    return Span(0.0, max(-found.low, found.high)) if not found.whole else None


def _power(making: Making, made: Tensor, budget: int) -> Span | None:
    exponent = 2 if making.short == "square" else making.args[1] if len(making.args) == 2 else None
    size = _abs(making, made, budget)
    return Span(size.low**2, size.high**2, size.closed) if exponent == 2 and size is not None and not size.whole else (
        None
    )  # fmt: skip


def _negative(making: Making, made: Tensor, budget: int) -> Span | None:
    found = attained(making.args[0], budget) if making.args else None
    return None if found is None else Span(-found.high, -found.low, found.closed, found.whole)


def _arithmetic(making: Making, made: Tensor, budget: int) -> Span | None:
    if len(making.args) != 2:
        return None
    left, right = making.args
    budget = share(budget, left, right)
    a, b = attained(left, budget), attained(right, budget)
    if a is None or b is None or leaves(left) & leaves(right):
        return None
    whole = (a.whole or a.point) and (b.whole or b.point) and (a.whole or b.whole)
    if whole and making.short not in ("+", "-"):
        return None
    closed = a.closed and b.closed
    if making.short in ("+", "add"):
        return Span(a.low + b.low, a.high + b.high, closed, whole)
    if making.short in ("-", "sub", "subtract"):
        return Span(a.low - b.high, a.high - b.low, closed, whole)
    if making.short in ("/", "div", "divide") and (not b.point or b.low == 0):
        return None
    divided = making.short in ("/", "div", "divide")
    corners = [x / y if divided else 0.0 if 0 in (x, y) else x * y for x in (a.low, a.high) for y in (b.low, b.high)]
    return Span(min(corners), max(corners), closed)


def _matrix(making: Making, made: Tensor, budget: int) -> Span | None:
    tensors = [v for v in making.args if isinstance(v, Tensor)]
    free = len(tensors) == 2 and all(attained(t, budget // 2) == REAL for t in tensors)
    return REAL if free and not leaves(tensors[0]) & leaves(tensors[1]) else None


def _loss(making: Making, made: Tensor, budget: int) -> Span | None:
    if len(making.args) < 2 or leaves(making.args[0]) & leaves(making.args[1]):
        return None
    free = any(isinstance(v, Tensor) and attained(v, budget // 2) == REAL for v in making.args[:2])
    return Span(0.0, math.inf) if free else None


def _of_layer(making: Making, budget: int) -> Span | None:
    layer = making.owner
    assert isinstance(layer, Layer)
    home, _, short = layer.name.rpartition(".")
    rule = _RULES.get(_LAYER_LOSSES.get(short, short.lower()))
    if short in _LAYER_LOSSES or short in ("ReLU", "Sigmoid", "Tanh", "Identity", "Flatten"):
        return rule(making, Tensor(None), budget) if rule is not None else None
    if not making.args or not ("Linear" in short or "Conv" in short or short == "Dense"):
        return None
    held = (*layer.built.values(), *layer.attrs.values())
    if layer.args.get("activation") is not None or any(isinstance(v, Tensor) and v.memory.writes for v in held):
        return None
    if attained(making.args[0], budget) == REAL:
        return REAL
    return Span(-TINY, TINY) if home.startswith("torch") and layer.args.get("bias", True) is not False else None


def _normal(making: Making, made: Tensor, budget: int) -> Span | None:
    spread = [*making.args[1:2], *(making.kwargs.get(k) for k in ("std", "scale", "stddev"))]
    return None if any(isinstance(v, (int, float)) and v == 0 for v in spread) else REAL


def _uniform(making: Making, made: Tensor, budget: int) -> Span | None:
    names = [("minval", "low", "from", "a"), ("maxval", "high", "to", "b")]
    given = [next((making.kwargs[k] for k in own if k in making.kwargs), None) for own in names]
    shaped = making.name.startswith(("tf.", "keras.", "torch."))
    rest = making.args[1:] if shaped else making.args
    low, high = (rest[i] if i < len(rest) else given[i] for i in range(2))
    whole = (made.dtype or "").startswith(("int", "uint"))
    low, high = 0 if low is None else low, 1 if high is None and not whole else high
    return _between(low, high, whole)


def _between(low: Value, high: Value, whole: bool) -> Span | None:
    """From `low` to below `high`."""
    if not all(isinstance(v, (int, float)) for v in (low, high)) or not low < high:
        return None
    return Span(float(low), float(high) - 1, True, True) if whole else Span(float(low), float(high))


def _whole_number(making: Making, made: Tensor, budget: int) -> Span | None:
    args = [v for v in making.args if isinstance(v, (int, float))]
    low, high = making.kwargs.get("low", 0), making.kwargs.get("high")
    if high is None:
        low, high = (args[0], args[1]) if len(args) > 1 else (low, args[0] if args else None)
    elif args:
        low = args[0]
    inclusive = making.name == "random.randint"
    return _between(low, high + 1 if inclusive and isinstance(high, int) else high, True)


def _constant(making: Making, made: Tensor, budget: int) -> Span | None:
    if making.short.startswith("full"):
        value = making.args[1] if len(making.args) > 1 else making.kwargs.get("fill_value")
        return attained(value, budget) if isinstance(value, (int, float)) else None
    number = 1.0 if making.short.startswith("ones") else 0.0
    return Span(number, number, True)


def _sigmoid(x: float) -> float:
    return 1 / (1 + math.exp(-x)) if x > -700 else 0.0


def _exp(x: float) -> float:
    return math.exp(x) if x < 700 else math.inf


_RULES: dict[str, Callable[[Making, Tensor, int], Span | None]] = {
    **dict.fromkeys(KEEPING, _first),
    **dict.fromkeys(("sum", "reduce_sum"), _sum),
    **dict.fromkeys(("exp",), _monotone(_exp)),
    **dict.fromkeys(("sqrt",), _monotone(math.sqrt, 0.0)),
    **dict.fromkeys(("sigmoid",), _monotone(_sigmoid)),
    **dict.fromkeys(("tanh",), _monotone(math.tanh)),
    **dict.fromkeys(("log",), _monotone(lambda x: math.log(x) if x > 0 else -math.inf, 0.0)),
    "relu": _relu,
    **dict.fromkeys(("abs", "absolute"), _abs),
    **dict.fromkeys(("square", "pow", "**"), _power),
    **dict.fromkeys(("neg", "negative", "unary -"), _negative),
    **dict.fromkeys(("+", "-", "*", "/", "add", "sub", "mul", "div", "subtract", "multiply", "divide"), _arithmetic),
    **dict.fromkeys(("@", "matmul", "mm", "bmm"), _matrix),
    **dict.fromkeys(_LOSSES, _loss),
    **dict.fromkeys(_REAL, _normal),
    **dict.fromkeys(("rand", "rand_like", "random", "random_sample"), lambda making, made, budget: UNIT),
    "uniform": _uniform,
    **dict.fromkeys(("randint", "integers"), _whole_number),
    **dict.fromkeys(("ones", "zeros", "ones_like", "zeros_like", "full", "full_like"), _constant),
}


def record(
    name: str, args: Iterable[Value], kwargs: dict[str, Value], result: Value, owner: Value = None,
    derived: bool = False,
) -> Value:  # fmt: skip
    """Note how a result was made, and its parts. What no tensor went into may be anything, unless it is `derived`."""
    operands, short = tuple(args), name.rpartition(".")[2]
    if not derived and short not in _RULES and short not in _DRAWN and not any(map(tells, operands)):
        return result
    for index, part in enumerate(_parts(result)):
        if isinstance(part, Tensor) and part.making is None and not any(part is v for v in operands):
            part.making = Making(name, operands, kwargs, part.memory.writes, index, owner)
        elif isinstance(part, Unknown) and part.element is None and part.origin == "data" and part.pytype != "list":
            held = Tensor((), None)
            held.making = Making(name, operands, kwargs, 0, index, owner)
            part.element = held
    return result


def tells(value: Value) -> bool:
    """Whether elements of tensors are in it."""
    if isinstance(value, (ListV, tuple)):
        return any(map(tells, (value.items if isinstance(value, ListV) else value)[:16]))
    return isinstance(value, Tensor) or (isinstance(value, Unknown) and value.element is not None)


def _parts(result: Value) -> Iterator[Value]:
    if isinstance(result, (tuple, ListV)):
        yield from (result.items if isinstance(result, ListV) else result)[:16]
    else:
        yield result
