"""Rotary embeddings as complex numbers are exported, and ONNX Runtime computes what torch does."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
import onnxruntime
import torch

from analyzer.configuration.config import TargetConfig
from analyzer.exporting.export import export
from analyzer.numerical.analysis import analyse
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
            band = turned * mask + torch.zeros_like(turned) + torch.linspace(1, 7, 4, dtype=torch.complex64)
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


MORE = """
    import torch
    from torch import nn


    class Net(nn.Module):
        def forward(self, x, y):
            z, w = torch.view_as_complex(x), torch.view_as_complex(y)
            mask, places = z.real > 0, torch.tensor([1, 0, 1])
            given = (
                z.exp(), z.log(), z * 2, 1j * z, z * (0.5 - 2j), z**2, z.angle(), z.conj().imag,
                *z.unbind(-1), *z.split(3, 1), *z.split([1, 3], -1), *z.chunk(2),
                torch.where(mask, z, w), z.masked_fill(mask, 1.5), z.gather(1, torch.tensor([[3, 0], [1, 1]])),
                z[places], z[:, places], z.cumsum(-1), z.roll(1, -1).flip(0), z.copy_(w),
                torch.einsum("bi,bj->bij", z, w),
                torch.einsum("ab, cb -> ac", z, w), torch.linalg.vector_norm(z), z.norm(dim=-1), z.sum(-1), z.mean(),
                z.tril(), z + x.new_zeros(2, 4, dtype=torch.cfloat), z * mask.float(), mask.float().to(torch.cfloat),
                torch.nn.functional.pad(z, (1, 2)), z.repeat_interleave(2, 1), z.T.diagonal(),
                z / w.abs(), z / 4.0, w / z[:1].abs(), z / (w + 3), w.abs() / z, z / (2 - 1j),
                z * 1e-30 / (w.abs() * 1e-30), z * 1e30 / (w.abs().max() * 1e30), z * 1e-30 / 1e-30,
                z * 1e-30 / (w * 1e-30), z * 1e30 / (w * 1e30), 1 / z, 1e-30 / (1e-30 * z), (2 - 1j) / w, z / w[0, 1],
                z.real.to(torch.cfloat) / w, w / w.imag.to(torch.cfloat), z[:1] / w[1, 0], z.reciprocal(),
                z * 1e-30 / (2e-30 - 1e-30j),
            )
            return tuple(torch.view_as_real(v) if v.is_complex() else v for v in given)


    def build():
        return Net(), (torch.randn(2, 4, 2), torch.randn(2, 4, 2))
"""


def test_operators_on_complex_numbers_give_what_torch_does(project):
    project.write("net.py", MORE)
    target = TargetConfig(id="net", entry="net.py:build")
    graph = export("net.py:build", project.root, target=target, sandbox=ProcessSandbox())
    assert not {n.domain for n in graph.nodes()} - {"", "pkg.onnxscript.torch_lib.common"}
    rng = np.random.default_rng(0)
    given = [rng.normal(size=(2, 4, 2)).astype(np.float32) for _ in range(2)]
    session = onnxruntime.InferenceSession(ir.to_proto(graph.model).SerializeToString())
    feeds = {i.name: value for i, value in zip(session.get_inputs(), given, strict=True)}
    scope: dict[str, object] = {}
    exec("\n".join(line[4:] for line in MORE.splitlines()), scope)
    expected = scope["Net"]()(*(torch.from_numpy(value.copy()) for value in given))
    for number, (ours, theirs) in enumerate(zip(session.run(None, feeds), expected, strict=True)):
        np.testing.assert_allclose(ours, theirs.resolve_neg().numpy(), rtol=1e-4, atol=1e-5, err_msg=str(number))


UNKNOWN = """
    import torch
    from torch import nn


    class Net(nn.Module):
        def forward(self, x, y):
            z = torch.view_as_complex(x)
            return z.tanh().real.sum() + torch.where(z.real > 0, z, y).imag, torch.log(torch.softmax(y, -1))


    def build():
        return Net(), (torch.randn(2, 4, 2), torch.randn(2, 4))
"""


def test_an_operator_without_a_form_on_pairs_is_unknown_by_a_name_of_its_own(project):
    """The rule of ``tanh`` is not one of pairs; a real number that is chosen has no imaginary part."""
    project.write("net.py", UNKNOWN)
    target = TargetConfig(id="net", entry="net.py:build")
    graph = export("net.py:build", project.root, target=target, sandbox=ProcessSandbox())
    assert "tanh_of_pairs" in {n.op_type for n in graph.graph if n.domain == "torch.aten"}
    result = analyse(graph, target, confirm=False, explain=False)
    assert [f.rule for f in result.findings] == ["numerical/log-of-nonpositive"]


QUOTIENTS = """
    import torch
    from torch import nn


    class Quotient(nn.Module):
        def __init__(self, least):
            super().__init__()
            self.least = least

        def forward(self, x, y):
            z = torch.view_as_complex(x)
            return torch.view_as_real(z / torch.complex(y.abs() + self.least, z.imag))


    def _given():
        return torch.randn(2, 4, 2), torch.randn(2, 4)


    def away():
        return Quotient(1e-25), _given()


    def meets():
        return Quotient(0.0), _given()
"""


def test_a_complex_divisor_fails_where_both_of_its_parts_are_0(project):
    """The square of a small one is 0 in float32, which PyTorch does not compute."""
    project.write("net.py", QUOTIENTS)
    found = {}
    for name in ("away", "meets"):
        target = TargetConfig(id=name, entry=f"net.py:{name}")
        graph = export(target.entry, project.root, target=target, sandbox=ProcessSandbox())
        result = analyse(graph, target, confirm=False, explain=False)
        found[name] = {f.rule for f in result.findings}
    assert found == {"away": set(), "meets": {"numerical/division-by-zero"}}
