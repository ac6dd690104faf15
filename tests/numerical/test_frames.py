"""The shape of a short-time Fourier transform: without it, no norm of its magnitudes is known not to be 0."""

from __future__ import annotations

import numpy as np
import pytest
from build import Builder, rules, run
from test_relations import engine

from analyzer.graph import Graph


def transformed(onesided: int, step: int, *, least: float = 1e-8) -> tuple[Graph, str]:
    b = Builder()
    x = b.input("x", (2, 50, 1))
    found = b.op("STFT", x, b.const(step, np.int64), b.const(np.hanning(16)), onesided=onesided)
    power = b.op("ReduceSum", b.op("Mul", found, found), b.const([3], np.int64), keepdims=0)
    norm = b.op("ReduceL2", b.op("Sqrt", b.op("Max", power, b.const(least))), keepdims=0)
    return b.graph(found, b.op("Reciprocal", norm, name="quotient")), found


@pytest.mark.parametrize("onesided", [0, 1])
@pytest.mark.parametrize("step", [1, 4, 5, 34, 50])
def test_frames_and_frequencies(onesided: int, step: int) -> None:
    graph, _ = transformed(onesided, step)
    known = run(graph, {"x": (-1, 1)}, everything=True).values[graph.graph.outputs[0]]
    (result, _) = engine(graph).run(None, {"x": np.zeros((2, 50, 1), np.float32)})
    assert known.shape == result.shape


def test_a_norm_of_clamped_magnitudes_is_not_0() -> None:
    assert rules(transformed(1, 4)[0], {"x": (-1, 1)}) == []
    assert rules(transformed(1, 4, least=0.0)[0], {"x": (-1, 1)}) == [("division-by-zero", "quotient")]
