"""Exported programs read as JSON compute, in ONNX Runtime, what torch computes."""

from __future__ import annotations

import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime as ort
import pytest

torch = pytest.importorskip("torch")
nn, F = torch.nn, torch.nn.functional

from analyzer.graph import Graph, Role, layer_of, location_of, role_of  # noqa: E402
from analyzer.loading.formats import Format, detect  # noqa: E402
from analyzer.loading.reading import load  # noqa: E402
from analyzer.loading.weights import open_weights  # noqa: E402
from analyzer.problem import TargetProblem  # noqa: E402
from tests.loading.graph_bytes import to_bytes  # noqa: E402


def agree(
    path: Path, module: Any, arguments: tuple[Any, ...], dynamic: Any = None, unknown: tuple[str, ...] = ()
) -> Graph:
    module = module.eval()
    torch.export.save(torch.export.export(module, arguments, dynamic_shapes=dynamic), path)
    assert detect(path) is Format.TORCH_EXPORT
    graph = load(path)
    assert tuple(sorted({n.op_type for n in graph.nodes() if n.domain})) == unknown
    if unknown:
        return graph
    data = to_bytes(graph)
    onnx.checker.check_model(onnx.load_from_string(data), full_check=True)
    options = ort.SessionOptions()
    options.log_severity_level = 3
    session = ort.InferenceSession(data, options, providers=["CPUExecutionProvider"])
    names = [v.name for v in session.get_inputs()]
    found = session.run(None, {n: a.numpy() for n, a in zip(names, arguments, strict=True)})
    expected = module(*arguments)
    expected = expected if isinstance(expected, list | tuple) else [expected]
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_allclose(a, b.detach().numpy(), rtol=1e-4, atol=1e-5)
    return graph


class Images(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.convolution = nn.Conv2d(3, 4, 3, padding=1, stride=2)
        self.norm = nn.BatchNorm2d(4)
        self.up = nn.ConvTranspose2d(4, 6, 3, stride=2, output_padding=1)
        self.group = nn.GroupNorm(2, 6)
        self.head = nn.Linear(6, 5)

    def forward(self, x: Any) -> Any:
        x = F.relu(self.norm(self.convolution(x)))
        x = F.max_pool2d(self.group(self.up(x)), 2) + 1
        y = F.avg_pool2d(x, 2, padding=1)
        return torch.softmax(self.head(F.adaptive_avg_pool2d(x, 1).flatten(1)), -1), y.mean((2, 3))


class Tokens(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.embedding = nn.Embedding(11, 8)
        self.block = nn.TransformerEncoderLayer(8, 2, 16, batch_first=True)

    def forward(self, tokens: Any) -> Any:
        x = self.block(self.embedding(tokens))
        a, b = x.chunk(2, -1)
        z = torch.cat([a.exp().clamp(max=3.0), b / (1 + b.abs())], -1)
        return (
            z[:, 1:3].flatten(1),
            torch.where(z > 0.5, z, z**2).sum(1, keepdim=True),
            torch.log_softmax(z - 2 * a.mean(), 1),
        )


BATCH = {0: torch.export.Dim("batch")}


@pytest.mark.parametrize("dynamic", [None, (BATCH,)])
def test_images(tmp_path: Path, dynamic: Any) -> None:
    graph = agree(tmp_path / "m.pt2", Images(), (torch.randn(2, 3, 8, 8),), dynamic)
    roles = {v.name: role_of(v) for v in graph.graph.initializers.values()}
    assert roles["convolution.weight"] is Role.PARAMETER
    assert roles["norm.running_var"] is Role.STATE
    assert {"convolution", "norm", "head"} <= {layer_of(n) for n in graph.nodes()}
    assert graph.framework == "torch"
    assert graph.versions["torch"] == torch.__version__
    first = graph.graph.inputs[0].shape
    assert first is not None
    assert isinstance(first[0], int) is (dynamic is None)
    weights = open_weights(tmp_path / "m.pt2")
    assert weights["head.weight"].shape == (5, 6)


@pytest.mark.parametrize("dynamic", [None, (BATCH,)])
def test_tokens(tmp_path: Path, dynamic: Any) -> None:
    agree(tmp_path / "m.pt2", Tokens(), (torch.randint(0, 11, (2, 6)),), dynamic)


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "activations": lambda x: [
        f(x) for f in (F.silu, F.gelu, F.elu, F.leaky_relu, F.hardswish, F.hardtanh, F.relu6, F.mish, F.softplus,
                       F.logsigmoid, F.selu, F.hardsigmoid)
    ],
    "arithmetic": lambda x: [x + x, x - 2 * x, x / (x.abs() + 1), torch.maximum(x, -x), x**3, 2.0 - x, x.square()],
    "comparisons": lambda x: [(x > 0).float(), (x == x).float(), torch.where(x != 0, x, x + 1), (x <= 1).float()],
    "reductions": lambda x: [x.sum(), x.mean(), x.mean(1), x.amax((0, 1)), x.sum(-1, keepdim=True), x.max()],
    "movement": lambda x: [
        x.permute(2, 0, 1), x.transpose(0, 2), x.reshape(6, 4), x.unsqueeze(0).squeeze(0), x[:, 1:, ::2], x[0],
        x[..., -1],
        torch.stack([x, x], 1), x.flatten(), x[:1].expand(5, 3, 4), *x.split([1, 2], 1),
    ],
    "products": lambda x: [x @ x.transpose(1, 2), torch.einsum("abc,dbc->ad", x, x), F.layer_norm(x, (4,))],
}  # fmt: skip


@pytest.mark.parametrize("name", FUNCTIONS)
def test_operators(tmp_path: Path, name: str) -> None:
    class Module(nn.Module):
        def forward(self, x: Any) -> Any:
            return tuple(FUNCTIONS[name](x))

    agree(tmp_path / "m.pt2", Module(), (torch.randn(2, 3, 4),))


def test_what_has_no_rule_stays_with_its_name_and_shape(tmp_path: Path) -> None:
    class Module(nn.Module):
        def forward(self, x: Any) -> Any:
            return torch.special.bessel_j0(x) + torch.cummax(x, 0)[0]

    graph = agree(tmp_path / "m.pt2", Module(), (torch.randn(3, 2),), unknown=("cummax", "special_bessel_j0"))
    (node,) = [n for n in graph.nodes() if n.op_type == "special_bessel_j0"]
    assert node.domain == "aten"
    assert list(node.outputs[0].shape or ()) == [3, 2]


def test_source_lines_are_those_of_the_repository(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", str(tmp_path)], check=True)
    (tmp_path / "nets").mkdir()
    source = "import torch\n\nclass Net(torch.nn.Module):\n    def forward(self, x):\n        return torch.log(x)\n"
    (tmp_path / "nets" / "net.py").write_text(source)
    scope: dict[str, Any] = {}
    exec(compile(source, "/home/someone/checkout/nets/net.py", "exec"), scope)
    torch.export.save(torch.export.export(scope["Net"](), (torch.ones(2),)), tmp_path / "m.pt2")
    (node,) = load(tmp_path / "m.pt2").nodes()
    location = location_of(node)
    assert location is not None
    assert (location.path, location.line) == ("nets/net.py", 5)


def test_damaged_programs(tmp_path: Path) -> None:
    torch.export.save(torch.export.export(Images().eval(), (torch.randn(1, 3, 8, 8),)), tmp_path / "m.pt2")
    with zipfile.ZipFile(tmp_path / "m.pt2") as archive:
        members = {n: archive.read(n) for n in archive.namelist()}
    program = next(n for n in members if n.endswith("models/model.json"))
    rng = np.random.default_rng(0)
    for trial in range(60):
        data = bytearray(members[program])
        for at in rng.integers(0, len(data), 3):
            data[at] = rng.integers(32, 127)
        path = tmp_path / f"{trial}.pt2"
        with zipfile.ZipFile(path, "w") as archive:
            for name, content in members.items():
                archive.writestr(name, bytes(data) if name == program else content[: -trial or None])
        try:
            load(path)
        except TargetProblem as problem:
            assert "\n" not in str(problem)  # noqa: PT017
