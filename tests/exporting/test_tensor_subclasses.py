"""Models that compute with subclasses of tensors are exported, and ONNX Runtime computes what torch does."""

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


    class Vectors(torch.Tensor):
        def bind(self, other):
            return torch.mul(self, other)


    class Signs(Vectors):
        @classmethod
        def alternating(cls, size):
            return (torch.arange(size) % 2 * 2.0 - 1).as_subclass(cls)

        def bundle(self):
            assert type(self).__name__ == "Signs"
            return self.sum(0, keepdim=True)


    class Net(nn.Module):
        def __init__(self):
            super().__init__()
            self.basis = Signs.alternating(4)
            self.kept = nn.Parameter(Signs.alternating(4), requires_grad=False)
            self.layer = nn.Linear(4, 2)

        def forward(self, x):
            vectors = (x.as_subclass(Signs).bind(self.basis) + 1).bind(self.kept)
            return self.layer(vectors.bundle().as_subclass(torch.Tensor)), self.basis.bind(vectors)


    def build():
        torch.manual_seed(0)
        return Net(), (torch.randn(3, 4),)
"""


def test_subclasses_of_tensors_are_followed(project):
    project.write("net.py", NET)
    target = TargetConfig(id="net", entry="net.py:build")
    before = torch.Tensor.as_subclass, torch.Tensor.__dict__["__torch_function__"]
    graph = export("net.py:build", project.root, target=target, sandbox=ProcessSandbox())
    assert before == (torch.Tensor.as_subclass, torch.Tensor.__dict__["__torch_function__"])
    x = np.random.default_rng(0).normal(size=(3, 4)).astype(np.float32)
    session = onnxruntime.InferenceSession(ir.to_proto(graph.model).SerializeToString())
    scope: dict[str, object] = {}
    exec("\n".join(line[4:] for line in NET.splitlines()), scope)
    expected = scope["build"]()[0](torch.from_numpy(x))
    for ours, theirs in zip(session.run(None, {"x": x}), expected, strict=True):
        np.testing.assert_allclose(ours, theirs.detach().as_subclass(torch.Tensor).numpy(), rtol=1e-5, atol=1e-6)
