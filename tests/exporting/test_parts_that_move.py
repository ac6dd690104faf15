"""Modules that move their own parts to where they are, and masks of bytes, are exported as what torch runs."""

from __future__ import annotations

import numpy as np
import onnx_ir as ir
import onnxruntime
import pytest
import torch

from analyzer.exporting.inside import module_allowances

NET = """
import torch


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(4, 4)
        torch.nn.init.eye_(self.layer.weight)
        torch.nn.init.ones_(self.layer.bias)

    def forward(self, x):
        {line}
        return self.layer(x)


def build():
    return Net(), (torch.rand(4, 4),)
"""


KEPT = "hasattr(self, 'kept') or self.register_buffer('kept', torch.arange(3.0)); x = x + self.kept.sum()"


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("self.to(x.device)", lambda x: x + 1),
        ("self.layer = self.layer.to(x.device).float().cpu()", lambda x: x + 1),
        ("x = torch.where(torch.eye(4).byte(), x, 0.0)", lambda x: torch.where(torch.eye(4).bool(), x, 0.0) + 1),
        ("x = x[torch.tensor([2, 0, 1, 0]).byte()]", lambda x: x[[0, 2]] + 1),
        (KEPT, lambda x: x + 4),
        (f"self.register_buffer('empty', None); {KEPT}", lambda x: x + 4),
        (f"self.register_buffer('empty', x * 2); {KEPT} + self.empty", lambda x: x * 3 + 4),
    ],
)
def test_they_compute_what_torch_computes(project, export_entry, line, expected) -> None:
    project.write("net.py", NET.format(line=line))
    graph = export_entry("net.py:build")
    session = onnxruntime.InferenceSession(ir.to_proto(graph.model).SerializeToString())
    x = torch.arange(16.0).reshape(4, 4)
    (made,) = session.run(None, {"x": x.numpy()})
    np.testing.assert_allclose(made, expected(x).numpy())


def test_a_module_that_changes_its_type_changes_it() -> None:
    layer = torch.nn.Linear(4, 4)
    with module_allowances.parts_that_stay(torch):
        assert layer.cpu() is layer
        assert layer.double().weight.dtype == torch.float64


def test_buffers_that_a_tracer_filled_are_what_they_were() -> None:
    class Caching(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.register_buffer("kept", None)
            self.register_buffer("scale", torch.ones(2))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            self.kept, self.scale = x + 1, self.scale * 2
            self.register_buffer("mask", x > 0)
            return self.kept * self.scale

    module = Caching()
    scale = module.scale
    with module_allowances.buffers_without_a_value(torch), module_allowances.buffers_stay(module):
        program = torch.export.export(module, (torch.ones(3, 2),))
    assert program.graph_signature.buffers_to_mutate == {}
    assert dict(module.named_buffers()).keys() == {"scale"}
    assert module.scale is scale
    assert torch.equal(program.module()(torch.ones(3, 2)), torch.full((3, 2), 4.0))


LISTING = """
import torch


class Wrapped(torch.nn.Module):
    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def named_parameters(self, prefix="", recurse=True):
        return self.inner.named_parameters(prefix=prefix, recurse=recurse)

    def named_buffers(self, prefix=""):
        return self.inner.named_buffers(prefix=prefix)

    def forward(self, x):
        {reading}
        return self.inner(x) * scale


class Again(Wrapped):
    pass


def build():
    inner = torch.nn.Sequential(torch.nn.Linear(4, 4), torch.nn.BatchNorm1d(4))
    torch.nn.init.eye_(inner[0].weight)
    torch.nn.init.ones_(inner[0].bias)
    return {kind}(inner).eval(), (torch.rand(4, 4),)
"""


@pytest.mark.parametrize("kind", ["Wrapped", "Again"])
@pytest.mark.parametrize(
    ("reading", "scale"),
    [
        ("scale = 2.0", 2.0),
        ("scale = dict(self.named_parameters())['0.bias'].mean() + len(list(self.named_buffers()))", 4.0),
        ("scale = 2.0 if x.sum() > 0 else 3.0", 2.0),
    ],
)
def test_a_module_that_lists_its_state_without_duplicates_is_exported(
    project, export_entry, kind, reading, scale
) -> None:
    project.write("net.py", LISTING.format(kind=kind, reading=reading))
    graph = export_entry("net.py:build")
    assert {"inner.0.weight", "inner.0.bias"} <= set(graph.graph.initializers)
    session = onnxruntime.InferenceSession(ir.to_proto(graph.model).SerializeToString())
    x = torch.arange(16.0).reshape(4, 4)
    (made,) = session.run(None, {"x": x.numpy()})
    np.testing.assert_allclose(made, (scale * (x + 1)).numpy(), rtol=1e-4)


def test_its_own_listing_stays_what_it_is() -> None:
    class Own(torch.nn.Linear):
        def named_parameters(self, prefix: str = "", recurse: bool = True):  # type: ignore[override,no-untyped-def]
            yield "mine", self.bias

    class Heir(Own):
        pass

    heir = Heir(2, 2)
    with module_allowances.listings_with_duplicates(heir, torch):
        assert [name for name, _ in heir.named_parameters()] == ["mine"]
        assert {name for name, _ in heir.named_parameters(remove_duplicate=False)} == {"weight", "bias"}
    assert "named_parameters" not in vars(Heir)
    with pytest.raises(TypeError):
        heir.named_parameters(remove_duplicate=False)  # type: ignore[call-arg]
