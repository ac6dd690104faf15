"""Rotary embeddings as complex numbers are exported, and ONNX Runtime computes what torch does."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
import onnxruntime
import torch

from analyzer.configuration.config import TargetConfig
from analyzer.exporting.export import export
from analyzer.walls.process import ProcessSandbox

NET = """
    import torch
    from torch import nn


    class Net(nn.Module):
        def forward(self, x, angles):
            z = torch.view_as_complex(x)
            turned = z * torch.polar(torch.ones_like(angles), angles)
            wide = turned.unsqueeze(-1).expand(-1, -1, 3)[:, 1]
            row = turned.unsqueeze(0).select(-1, 2)
            block = turned.unsqueeze(1).expand(2, 5, 4)
            mask = torch.ones_like(turned)
            mask[:, 1:3] = 0
            mask[1:, 2:4:2] = 2 - 1j
            mask[:1, -1:].fill_(z[0, 0])
            mask[:1, -3:-2].fill_(angles[0, 0])
            band = turned * mask + torch.zeros_like(turned)
            real = torch.ones_like(turned, dtype=torch.float32) * angles
            return real, *(torch.view_as_real(v) for v in (turned, wide, row, block, band))


    def build():
        return Net(), (torch.randn(2, 4, 2), torch.randn(2, 4))
"""


def test_complex_numbers_are_exported_as_pairs(project):
    project.write("net.py", NET)
    target = TargetConfig(id="net", entry="net.py:build")
    graph = export("net.py:build", project.root, target=target, sandbox=ProcessSandbox())
    rng = np.random.default_rng(0)
    x, angles = rng.normal(size=(2, 4, 2)).astype(np.float32), rng.normal(size=(2, 4)).astype(np.float32)
    session = onnxruntime.InferenceSession(ir.to_proto(graph.model).SerializeToString())
    feeds = {i.name: value for i, value in zip(session.get_inputs(), (x, angles), strict=True)}
    scope: dict[str, object] = {}
    exec("\n".join(line[4:] for line in NET.splitlines()), scope)
    expected = scope["Net"]()(torch.from_numpy(x), torch.from_numpy(angles))
    for ours, theirs in zip(session.run(None, feeds), expected, strict=True):
        np.testing.assert_allclose(ours, theirs.numpy(), rtol=1e-5, atol=1e-6)
