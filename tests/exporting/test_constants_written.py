"""A model that writes into a tensor which is no buffer of it is exported, with what it reads of it afterwards."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
import onnxruntime

NET = """
import torch

SHARED, UNTOUCHED = torch.full((2, 4), 3.0), torch.full((2, 4), 5.0)


class Net(torch.nn.Module):
    def forward(self, x):
        view = SHARED.view(4, 2).view(2, 4)
        for i in range(3):
            view[:, i] = x[:, i] * i
        return SHARED + x, SHARED + UNTOUCHED


def build():
    return Net(), (torch.rand(2, 4),)
"""


def test_a_constant_that_is_written(project, export_entry):
    project.write("net.py", NET)
    graph = export_entry("net.py:build")
    run = onnxruntime.InferenceSession(ir.to_proto(graph.model).SerializeToString())
    x = np.random.default_rng(0).normal(size=(2, 4)).astype(np.float32)
    held = np.concatenate([x[:, :3] * np.arange(3), np.full((2, 1), 3.0)], 1)
    found = run.run(None, {run.get_inputs()[0].name: x})
    assert np.allclose(found[0], held + x, atol=1e-6)
    assert np.allclose(found[1], held + 5.0, atol=1e-6)
