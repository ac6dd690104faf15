"""The types of ONNX Runtime's own operators against the shapes that ONNX Runtime gives, on drawn cases."""

from __future__ import annotations

import os

import numpy as np
import onnxruntime
import pytest

from analyzer.operators.registry import declared
from analyzer.validity.registry import spec
from analyzer.validity.spec import TensorType, check
from tests.differential.contributed_cases import CASES, F, model_of

SEED = int(os.environ.get("CONTRIBUTED_SEED", "20261125"))


def domain_of(op: str) -> str:
    return "onnx" if op.startswith("Simplified") else "com.microsoft"


TYPED = [name for name in CASES if spec(name.partition(" ")[0], domain_of(name)) is not None]


@pytest.mark.parametrize("name", TYPED)
def test_a_type_gives_the_shape_that_onnx_runtime_gives(name: str) -> None:
    print("seed", SEED)
    op = name.partition(" ")[0]
    known = 0
    for turn in range(10):
        drawn = CASES[name](np.random.default_rng([SEED, turn]))
        model, feeds = model_of(op, drawn)
        expected = onnxruntime.InferenceSession(model.SerializeToString()).run(None, feeds)
        inputs = [None if a is None else TensorType(a.shape, str(a.dtype)) for a in drawn.inputs]
        one = spec(op, domain_of(op))
        assert one is not None
        result = check(one, inputs, drawn.attributes)
        assert result.failure is None, (drawn, result.failure)
        for mine, right in zip(result.outputs, expected, strict=False):
            if mine.shape is not None:
                assert (mine.shape, mine.dtype) == (right.shape, str(right.dtype)), drawn
                known += 1
    assert known


@pytest.mark.parametrize(
    ("op", "shapes", "attributes"),
    [
        ("BiasGelu", [(2, 8), (7,)], {}),
        ("FusedMatMul", [(2, 5), (5, 4)], {"transB": 1}),
        ("SkipLayerNormalization", [(2, 3, 6), (2, 3, 6), (5,)], {}),
        ("Attention", [(2, 5, 6), (7, 24)], {"num_heads": 2}),
        ("MatMulNBits", [(3, 30), (6, 1, 16), (6,)], {"K": 32, "N": 6, "block_size": 32}),
    ],
)
def test_what_does_not_fit_is_refused(op: str, shapes: list[tuple[int, ...]], attributes: dict[str, int]) -> None:
    one = spec(op, "com.microsoft")
    assert one is not None
    assert check(one, [TensorType(s, str(np.dtype(F))) for s in shapes], attributes).failure is not None


def test_the_operators_are_declared() -> None:
    assert all(declared("com.microsoft", n.partition(" ")[0]) for n in TYPED if domain_of(n) == "com.microsoft")
