"""What Python's `random` draws, and what it and NumPy put into another order."""

from __future__ import annotations

from collections.abc import Sequence

from analyzer.tracing.language.alternatives import common_type, one_of
from analyzer.tracing.language.memory import write
from analyzer.tracing.language.shuffled import shuffled_elements
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import ListV, Unknown, Value
from analyzer.tracing.operators.table import Op, operator


@operator("random.randint random.randrange random.random random.uniform random.gauss", "*args")
def chance(op: Op, args: tuple[Value, ...]) -> Value:
    if op.short in ("randint", "randrange") and all(isinstance(a, int) for a in args) and args:
        low, high = (args[0], args[1]) if len(args) > 1 else (0, args[0])
        high = high if op.short == "randint" else high - 1
        if low <= high:
            return op.tr.fresh("random", "unknown", low, high)
    return Unknown("a random choice", "data", pytype="float" if op.short in ("random", "uniform", "gauss") else "")


@operator("random.seed", "*args")
def seeded(op: Op, args: tuple[Value, ...]) -> Value:
    return None


@operator("random.shuffle numpy.random.shuffle", "x *rest")
def shuffled(op: Op, x: Value, rest: tuple[Value, ...]) -> Value:
    """Where each element stands afterwards nobody knows, so each of them may stand anywhere."""
    if isinstance(x, Tensor):
        followed = op.tr.sampler is not None and not op.tr.speculating and op.tr.sampler.shuffled(x)
        write(op.tr, x, followed=followed)
    if isinstance(x, ListV) and (len(x.items) > 1 or x.open):
        op.tr.touch(x)
        if op.tr.sampler is not None and not op.tr.speculating and not x.open:
            op.tr.sampler.shuffle(x.items)
            return None
        if x.open:  # what follows may stand anywhere now
            x.lose()
            return None
        either = _either(x.items)
        if either is None:  # one order of many
            op.tr.path.guessed = True
        else:
            x.items = either
    return None


def _either(items: Sequence[Value]) -> list[Value] | None:
    """What is known of each element, whichever it is; None where nothing can stand for any of them."""
    first = items[0]
    if one_of(items, None) is first:
        return list(items)
    if isinstance(first, tuple) and all(isinstance(v, tuple) and len(v) == len(first) for v in items):
        columns = [_either(column) for column in zip(*items, strict=True)]
        return None if any(c is None for c in columns) else list(zip(*(c or () for c in columns), strict=True))
    kind = common_type(items)
    return list(shuffled_elements(items, kind)) if kind else None
