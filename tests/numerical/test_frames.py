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


@pytest.mark.parametrize("parts", [1, 2])
@pytest.mark.parametrize(("onesided", "inverse"), [(0, 0), (0, 1), (1, 0), (1, 1)])
@pytest.mark.parametrize("axis", [1, 2, -2])
@pytest.mark.parametrize("length", [None, 1, 5, 8, 11])
def test_frequencies_of_a_transform(parts: int, onesided: int, inverse: int, axis: int, length: int | None) -> None:
    if onesided and parts == (1 if inverse else 2):
        return  # half a spectrum, which is complex, is that of real samples: engines refuse others
    b = Builder()
    x = b.input("x", (2, 6, 9, parts))
    given = "" if length is None else b.const(length, np.int64)
    found = b.op("DFT", x, given, b.const(axis, np.int64), onesided=onesided, inverse=inverse)
    graph = b.graph(found)
    known = run(graph, {"x": (-1, 1)}, everything=True).values[graph.graph.outputs[0]]
    (result,) = engine(graph).run(None, {"x": np.ones((2, 6, 9, parts), np.float32)})
    assert known.shape == result.shape


@pytest.mark.parametrize("selected", [False, True])
def test_what_is_divided_by_the_root_of_the_number_of_frequencies(selected: bool) -> None:
    """As an orthonormal transform is; of samples that are selected there may be none."""
    b = Builder()
    x = b.input("x", (2, 6, 1))
    if selected:
        x = b.op("Compress", x, b.input("chosen", (6,), "bool"), axis=1)
    found = b.op("DFT", x, "", b.const(1, np.int64))
    size = b.op("Sqrt", b.op("Cast", b.op("Shape", found, start=1, end=2), to=1))
    told = rules(b.graph(b.op("Reciprocal", size, name="scale")), {"x": (-1, 1), "chosen": (0, 1)})
    assert told == ([("division-by-zero", "scale")] if selected else [])


@pytest.mark.parametrize("selected", [False, True])
def test_an_index_into_the_samples_that_half_a_spectrum_gives_wraps_around(selected: bool) -> None:
    """As a roll does; of a length that the values decide nothing is known."""
    b = Builder()
    x = b.input("x", (2, 6, 2))
    if selected:
        x = b.op("Compress", x, b.input("chosen", (6,), "bool"), axis=1)
    found = b.op("DFT", x, "", b.const(1, np.int64), onesided=1, inverse=1)
    size = b.op("Shape", found, start=1, end=2)
    told = rules(b.graph(b.op("Mod", b.const([7], np.int64), size, name="start")), {"x": (-1, 1), "chosen": (0, 1)})
    assert told == ([("integer-division-by-zero", "start")] if selected else [])
