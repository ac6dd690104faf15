"""Properties that hold between results of the analysis: no concrete run is needed to see that one is wrong."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from containment import analysed, failed, graph_of
from operator_catalogue import Case, Operand, catalogue
from sampling import abstraction, model_of, random_box

from analyzer.numerical.domain import dtypes
from analyzer.numerical.domain.tensor import AbstractTensor, bounds_on

SHARDS = 3


def cases(shard: int) -> list[tuple[int, Case]]:
    return [(n, c) for n, c in enumerate(catalogue()) if n % SHARDS == shard]


def outputs(graph: Any, assumptions: dict[str, AbstractTensor]) -> tuple[list[Any], bool]:
    result = analysed(graph, assumptions)
    return [result.values.get(o) for o in graph.graph.outputs], failed(result)


def block(operand: Operand, lo: np.ndarray, hi: np.ndarray) -> AbstractTensor:
    kind = dtypes.element_type(operand.dtype)
    return AbstractTensor(kind, operand.shape, np.float64(lo.min()), np.float64(hi.max()))


def elements(operand: Operand, lo: np.ndarray, hi: np.ndarray) -> AbstractTensor:
    kind = dtypes.element_type(operand.dtype)
    if lo.size <= 1:
        return block(operand, lo, hi)
    return AbstractTensor(kind, operand.shape, lo.copy(), hi.copy(), tuple(tuple(range(n)) for n in operand.shape))


def sampled(case: Case) -> list[tuple[str, Operand]]:
    return [(f"i{n}", o) for n, o in enumerate(case.operands) if isinstance(o, Operand)]


@pytest.mark.parametrize("shard", range(SHARDS))
def test_bounds_are_ordered_and_no_nan(shard: int) -> None:
    for index, case in cases(shard):
        graph = graph_of(model_of(case))
        for box in range(4):
            rng = np.random.default_rng([31, index, box])
            given = {n: abstraction(rng, o, *random_box(rng, o)) for n, o in sampled(case)}
            for tensor in outputs(graph, given)[0]:
                if isinstance(tensor, AbstractTensor) and tensor.shape is not None and 0 not in tensor.shape:
                    assert not np.any(np.isnan(tensor.lo) | np.isnan(tensor.hi)), case.name
                    assert np.all(tensor.lo <= tensor.hi), (case.name, tensor.lo, tensor.hi)


@pytest.mark.parametrize("shard", range(SHARDS))
def test_narrower_operands_give_no_wider_results(shard: int) -> None:
    """Monotone, but for roundings outward: of the box, and of the partition."""
    for index, case in cases(shard):
        graph = graph_of(model_of(case))
        for box in range(3):
            rng = np.random.default_rng([32, index, box])
            wide, narrow = {}, {}
            for name, operand in sampled(case):
                lo, hi = random_box(rng, operand)
                wide[name], narrow[name] = block(operand, lo, hi), elements(operand, lo, hi)
            (large, flagged), (small, also) = outputs(graph, wide), outputs(graph, narrow)
            if flagged or also:
                continue  # what survives is not comparable
            for a, b in zip(large, small, strict=True):
                if not isinstance(a, AbstractTensor) or not isinstance(b, AbstractTensor):
                    continue
                if a.low == -np.inf or a.high == np.inf or (b.shape is not None and 0 in b.shape):
                    continue
                slack = 1e-3 * max(abs(a.low), abs(a.high)) + 1e-30
                low, high = bounds_on(b, None)
                assert low >= a.low - slack, (case.name, a.low, low)
                assert high <= a.high + slack, (case.name, a.high, high)


EXACT = {"Add", "Sub", "Mul", "Neg", "Abs", "Max", "Min", "Relu", "Transpose", "Concat", "Slice", "Exp",
         "Tanh", "ReduceSum", "ReduceMean", "ReduceMax", "Softmax", "Gather", "Sigmoid", "Sqrt"}  # fmt: skip


def test_points_give_almost_points() -> None:
    """Precise where everything is known: the width is that of roundings."""
    for index, case in enumerate(catalogue()):
        if case.op not in EXACT or not all(
            o is None or getattr(o, "dtype", "float32") == "float32" for o in case.operands
        ):
            continue
        rng = np.random.default_rng([33, index])
        given = {}
        for name, operand in sampled(case):
            values = np.float64(np.float32(rng.uniform(0.5, 2.0, operand.shape)))
            given[name] = elements(operand, values, values)
        graph = graph_of(model_of(case))
        (tensor, *_), flagged = outputs(graph, given)
        assert not flagged, case.name
        assert np.max(tensor.hi - tensor.lo) <= 2e-3 * max(1.0, abs(tensor.high)) or tensor.starts is None, case.name
