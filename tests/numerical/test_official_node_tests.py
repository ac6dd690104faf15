"""Every node test of the ONNX standard: the expected output lies within the bounds of its inputs, widened or not."""

from __future__ import annotations

import warnings
from functools import cache
from typing import Any

import numpy as np
import onnx_ir as ir
import pytest
from containment import analysed, box, failed, graph_of, outside


@cache
def cases() -> tuple[Any, ...]:
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return tuple(c for c in collect_testcases(None) if c.model is not None)


def check(width: float, blocks: bool) -> tuple[int, list[str], set[str]]:
    problems: list[str] = []
    unknown: set[str] = set()
    compared = 0
    for case in cases():
        graph = graph_of(case.model)
        inputs, outputs = case.data_sets[0]
        assumptions = {
            value.name: box(data, value.dtype, width, blocks)
            for value, data in zip(graph.graph.inputs, inputs, strict=False)
            if isinstance(data, np.ndarray) and isinstance(value.type, ir.TensorType) and data.dtype.kind not in "OSU"
        }
        result = analysed(graph, assumptions)
        unknown.update(result.unknown)
        for value, expected in zip(graph.graph.outputs, outputs, strict=False):
            tensor = result.values.get(value)
            if tensor is None or not isinstance(expected, (np.ndarray, np.generic)):
                continue
            compared += 1
            why = outside(tensor, expected)
            if why and not failed(result):
                problems.append(f"{case.name}: {why}")
    return compared, problems, unknown


@pytest.mark.parametrize(
    ("width", "blocks"), [(0.0, True), (0.0, False), (1e-3, True)], ids=["points", "hulls", "boxes"]
)
def test_expected_outputs_are_contained(width: float, blocks: bool) -> None:
    compared, problems, unknown = check(width, blocks)
    assert compared > 1500
    assert not problems, "\n".join(problems[:20])
    assert not unknown
