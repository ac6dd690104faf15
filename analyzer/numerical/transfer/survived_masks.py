"""What a softmax that did not fail tells of the mask behind it: of each row it hides not everything.

Layers share their mask. Where the first one fails for a row of which everything is hidden, so do all others, and a run
that survives the first has no such row.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from analyzer.numerical.domain.dims import Shape
from analyzer.numerical.domain.tensor import AbstractTensor, count
from analyzer.operators.declaration import IDENTITY, RESHAPES

if TYPE_CHECKING:
    from analyzer.numerical.interpreter import Run

MOST = 16  # operators looked through
Hiding = tuple[Shape | int | None, bool]


def survived(run: Run, x: AbstractTensor) -> None:
    """Tells of the masks in `x` that each row of its last axis keeps a number above -inf."""
    size = x.shape[-1] if x.shape else None
    if size is None or size == 1 or count(x.shape)[0] < 1:
        return
    current = x
    for _ in range(MOST):
        run.restricted_operands[current.key] = _with_fact(current, "finite", (-1,))
        origin = current.origin
        if origin is None or origin.context.is_tf:
            return
        given = [i for i in origin.inputs if isinstance(i, AbstractTensor)]
        name = origin.rule.name
        if name == "Where" and origin.context.op == "Where" and len(given) == 3:
            condition, first, second = given
            truth = 0.0 if first.low == -np.inf else 1.0
            told = (truth, truth, (len(condition.shape or ()) - 1,))
            if (first.low == -np.inf) != (second.low == -np.inf) and condition.shape and condition.shape[-1] == size:
                run.restricted_operands[condition.key] = _with_fact(condition, "attained", (told,))
            return
        if name == "Add" and len(given) == 2:
            infinite = [i for i in given if i.low == -np.inf]
            given = infinite if len(infinite) == 1 else []
        elif not origin.rule.operator.traits & (IDENTITY | RESHAPES):
            return
        if not given or not given[0].shape or given[0].shape[-1] != size:
            return
        current = given[0]


def hidden_by(x: AbstractTensor) -> frozenset[Hiding] | None:
    """What puts minus infinity in a value, nothing else doing so: keys of conditions, with the truth value that puts
    it, and of what is added; shapes that it is brought to. None where that is not known.

    Values that are hidden by the same, along equal axes, are minus infinity at the same places.
    """
    found: set[Hiding] = set()
    current = x
    for _ in range(MOST):
        if current.low > -np.inf and not current.nan:
            return frozenset(found)
        origin = current.origin
        if origin is None or origin.context.is_tf or current.nan:
            return None
        given = [i for i in origin.inputs if isinstance(i, AbstractTensor)]
        name = origin.rule.name
        if name == "Where" and origin.context.op == "Where" and len(given) == 3:
            put = [_is_minus_infinity(side) for side in given[1:]]
            if put[0] == put[1]:
                return None
            found.add((given[0].key, put[0]))
            current = given[2 if put[0] else 1]
        elif name == "Add" and len(given) == 2 and sum(i.low == -np.inf for i in given) == 1:
            added, current = sorted(given, key=lambda i: i.low)
            found.add((added.key, True))
        elif origin.rule.operator.traits & (IDENTITY | RESHAPES) and given:
            found.add((current.shape, True))
            current = given[0]
        else:
            return None
    return None


def _is_minus_infinity(x: AbstractTensor) -> bool:
    return not x.nan and x.low == x.high == -np.inf


def _with_fact(tensor: AbstractTensor, name: str, fact: object) -> AbstractTensor:
    """The same value, of which one thing more is known."""
    return replace(tensor, facts={**tensor.facts, name: fact})
