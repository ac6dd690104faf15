"""A number minus a tensor of integers is computed in floating point, as torch does."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
import onnxruntime
import pytest

NET = """
import torch
import torch.nn.functional as F


class Net(torch.nn.Module):
    def forward(self, x, y):
        CODE


def build():
    return Net(), (torch.linspace(-1, 1, 12).reshape(4, 3), torch.tensor([0, 2, 1, 9]))
"""
CODES = {
    "one-hot": "return (1.0 - F.one_hot(y.clamp(max=2), 3)) * x",
    "scaled": "return torch.rsub(y, 2.5, alpha=3)[:, None] + x",
    "both": "return (1 - y)[:, None] * x + torch.sub(0.5, y, alpha=2)[:, None]",
    "integers": "return (1 - y) // 2 + x.shape[0]",
    "doubles": "return (0.1 - y).double() + (0.1 - x.double()).sum()",
    "known classes": "known = y != 9\n        return (1.0 - F.one_hot(y[known], 3)) * x[known]",
}


@pytest.mark.parametrize("code", CODES.values(), ids=CODES)
def test_a_number_minus_integers(project, export_entry, code):
    project.write("net.py", NET.replace("CODE", code))
    graph = export_entry("net.py:build")
    run = onnxruntime.InferenceSession(ir.to_proto(graph.model).SerializeToString())
    space: dict = {}
    exec(NET.replace("CODE", code), space)
    module, (x, y) = space["build"]()
    names = [value.name for value in run.get_inputs()]
    for given in (y, y.flip(0)):
        found = run.run(None, dict(zip(names, (x.numpy(), given.numpy()), strict=False)))[0]
        wanted = module(x, given).numpy()
        assert found.dtype == wanted.dtype
        assert np.allclose(found, wanted, atol=1e-6)
