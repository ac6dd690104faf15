"""`random.choice`, `sample` and `choices`: elements of what all elements have in common."""

from __future__ import annotations

from collections.abc import Sequence

from analyzer.tracing.language.nested import Differs, Leaves, Open, leaves_beside, rebuilt
from analyzer.tracing.language.tensors import Tensor
from analyzer.tracing.language.values import Iterator_, ListV, SetV, Unknown, Value
from analyzer.tracing.operators.table import Op, operator

MOST = 256  # elements that are compared, and that are taken


@operator("random.choice", "seq")
def choice(op: Op, seq: Value) -> Value:
    found = _any_of(seq)
    return _chance() if found is None else _taken(found)


@operator("random.sample", "population k *rest")
def sample(op: Op, population: Value, k: Value, rest: tuple[Value, ...]) -> Value:
    return _several(population, k)


@operator("random.choices", "population weights=None cum_weights=None k=1")
def choices(op: Op, population: Value, weights: Value, cum_weights: Value, k: Value) -> Value:
    return _several(population, k)


def _several(population: Value, count: Value) -> Value:
    found = _any_of(population)
    if not isinstance(count, int) or not 0 <= count <= MOST:
        return _chance()
    if found is None:
        numbers = isinstance(population, Iterator_) and population.bounds is not None
        return ListV([Unknown("a random choice", "data", pytype="int") for _ in range(count)]) if numbers else _chance()
    return ListV([_taken(found) for _ in range(count)])


def _chance() -> Unknown:
    return Unknown("a random choice", "data")


def _any_of(population: Value) -> Value | None:
    """What stands for each element; None where they are not all known to be alike."""
    listed = isinstance(population, ListV) and not isinstance(population, SetV)
    if listed and not (population.open or population.given or population.choices):
        items: Sequence[Value] = population.items
    elif type(population) is tuple:
        items = population
    else:
        return None
    if not 0 < len(items) <= MOST:
        return None
    try:
        rows = iter(leaves_beside(items[0], items[1:], Leaves()))
        return rebuilt(items[0], Leaves(), lambda _: _common(next(rows)))
    except (Open, Differs):
        return None


def _common(leaves: tuple[Value, ...]) -> Value:
    """A tensor of the shape that all have, a number of which nothing else is known. Raises Differs."""
    first = leaves[0]
    if all(isinstance(leaf, Tensor) for leaf in leaves):
        kinds = {leaf.framework for leaf in leaves}
        if first.dims is None or len(kinds) > 1 or any(leaf.dims != first.dims for leaf in leaves):
            raise Differs
        kept = first.dtype if all(leaf.dtype == first.dtype for leaf in leaves) else None
        return Tensor(first.dims, kept, first.framework, site=first.site, name=first.name)
    if all(leaf is None for leaf in leaves):
        return None
    if all(type(leaf) in (int, float) and type(leaf) is type(first) for leaf in leaves):
        return Unknown("a random choice", "data", pytype=type(first).__name__)
    raise Differs


def _taken(found: Value) -> Value:
    """Containers of its own, which the program may change."""
    return rebuilt(found, Leaves(), lambda leaf: leaf)
