"""The search's interpreter computes what ONNX says: its operators against the official node tests."""

from __future__ import annotations

import warnings

import numpy as np
import onnx.backend.test.loader as loader
import onnx_ir as ir

from analyzer.numerical.confirm.torch_dtypes import from_numpy
from analyzer.numerical.confirm.torch_evaluation import PreparedModel, run
from analyzer.numerical.confirm.torch_registry import HANDLERS, Mode, UnsupportedOperator

# The search needs no more than these to be right: anything else falls back to probes that are run for real.
ROUGH = ("dropout", "training", "bernoulli", "random")


def test_official_node_tests() -> None:
    import torch

    import analyzer.numerical.confirm.torch_operators  # noqa: F401

    torch.set_num_threads(1)
    wrong, right = [], 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        cases = loader.load_model_tests(kind="node")
    for case in cases:
        if any(word in case.name for word in ROUGH) or case.model is None or not case.data_sets:
            continue
        model = ir.from_proto(case.model)
        if any((n.domain or "", n.op_type) not in HANDLERS for n in model.graph):
            continue
        given, expected = case.data_sets[0]
        try:
            leaves = {v.name or "": from_numpy(a) for v, a in zip(model.graph.inputs, given, strict=False)}
            values = run(PreparedModel(model), leaves, Mode(surrogate=False))
        except (
            UnsupportedOperator,
            TypeError,
            KeyError,
            NotImplementedError,
            OSError,
            RuntimeError,
            IndexError,
            ValueError,
        ):
            continue  # said so, instead of computing something else
        name = model.graph.outputs[0].name or ""
        found = values[name]
        array = (found.float() if found.dtype == torch.bfloat16 else found).numpy()
        wide = np.asarray(expected[0], np.float64)
        if array.shape != wide.shape or not np.allclose(array.astype(np.float64), wide, 1e-2, 1e-3, equal_nan=True):
            wrong.append(case.name)
        else:
            right += 1
    assert wrong == []
    assert right >= 300
