"""The float64 reference's operators of ONNX Runtime's own domain against ONNX Runtime itself, on drawn cases."""

from __future__ import annotations

import os
from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx.reference import ReferenceEvaluator

from analyzer.differential.corrected import corrected_operators
from analyzer.differential.rounding import STEP_INSIDE, own_eps
from analyzer.differential.structure import Description, Operation, Unit
from analyzer.differential.worker.onnx_model import in_float64
from analyzer.differential.worker.reference_contributed import CONTRIBUTED
from tests.differential.contributed_cases import CASES, F, model_of

SEED = int(os.environ.get("CONTRIBUTED_SEED", "20261125"))


@pytest.mark.parametrize("name", CASES)
def test_the_reference_computes_what_onnx_runtime_does(name: str) -> None:
    rng = np.random.default_rng([SEED, sorted(CASES).index(name)])
    print("seed", SEED)
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    op = name.partition(" ")[0]
    compared = 0
    for _ in range(12):
        drawn = CASES[name](rng)
        model, feeds = model_of(op, drawn)
        session = onnxruntime.InferenceSession(model.SerializeToString(), options)
        expected = session.run(None, feeds)
        wide = {n: a.astype(np.float64) if a.dtype == F else a for n, a in feeds.items()}
        found = ReferenceEvaluator(in_float64(model), new_ops=list(CONTRIBUTED)).run(None, wide)
        for mine, right in zip(found, expected, strict=True):
            assert mine.shape == right.shape
            if right.dtype.kind in "iu":
                assert mine.dtype == right.dtype
            limit = drawn.tolerance if right.dtype.kind in "iu" else drawn.tolerance * np.abs(right).max()
            assert np.abs(mine.astype(np.float64) - right.astype(np.float64)).max() <= limit, drawn.attributes
            compared += right.size
    assert compared > 0


def test_every_contributed_operator_is_compared() -> None:
    assert {c.__name__ for c in CONTRIBUTED} == {name.partition(" ")[0] for name in CASES}


@pytest.mark.parametrize("name", ["FusedConv", "Attention", "DynamicQuantizeLSTM", "EmbedLayerNormalization"])
def test_scripts_carry_what_the_specification_lacks(name: str) -> None:
    drawn = CASES[name](np.random.default_rng(SEED))
    model, feeds = model_of(name, drawn)
    carried = corrected_operators(model.SerializeToString())
    assert carried.names == (name,)
    scope: dict[str, Any] = {"np": np}
    exec("from __future__ import annotations\nfrom typing import Any\nimport numpy as np\n" + carried.source, scope)
    theirs = ReferenceEvaluator(model, new_ops=[scope[name]]).run(None, feeds)
    ours = ReferenceEvaluator(model, new_ops=list(CONTRIBUTED)).run(None, feeds)
    for a, b in zip(theirs, ours, strict=True):
        assert np.array_equal(a, b)


def test_an_operator_that_quantizes_by_itself_is_not_held_to_float32() -> None:
    structure = Description((), (), ())
    operators = ("com.microsoft::DynamicQuantizeLSTM", "LSTM")
    units = [Unit("u", (Operation("n", op, (), ("y",)),), (), ("y",)) for op in operators]
    assert [own_eps(unit, structure) for unit in units] == [STEP_INSIDE, 0.0]
