"""Inputs that are made up keep what is known of them; what Assay cannot do is never told as the fault of an engine."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx_ir as ir
import pytest
from onnx import helper

from analyzer.configuration.config import TargetConfig, Thresholds
from analyzer.differential import analyse
from analyzer.differential.inputs import generate, variants
from analyzer.differential.known_ranges import known_ranges
from analyzer.differential.structure import Operation, TensorInfo, draws
from analyzer.differential.verdict import Kind, kind_of_error
from analyzer.exporting.export import export
from analyzer.findings import AnalysisResult
from analyzer.graph import Graph
from analyzer.loading.reading import load
from analyzer.problem import TargetProblem
from analyzer.walls.process import ProcessSandbox
from tests.differential.conftest import save_onnx

MODELS = """
import torch
from torch import nn
from torch.nn import functional as F


class Loss(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Linear(8, 1)

    def forward(self, x, target):
        return F.binary_cross_entropy(torch.sigmoid(self.f(x)), target)


class Sampling(nn.Module):
    def __init__(self):
        super().__init__()
        self.f = nn.Linear(8, 2)

    def forward(self, x):
        h = self.f(x)
        drawn = torch.distributions.Normal(h[:, 0], F.softplus(h[:, 1]))
        return drawn.rsample(), drawn.log_prob(x[:, 0])


def loss():
    torch.manual_seed(0)
    return Loss(), (torch.randn(4, 8), torch.rand(4, 1))


def sampling():
    torch.manual_seed(0)
    return Sampling(), (torch.randn(4, 8),)
"""


def compared(name: str, folder: Path) -> AnalysisResult:
    (folder / "models.py").write_text(MODELS)
    target = TargetConfig(name, entry=f"models.py:{name}")
    sandbox = ProcessSandbox()
    assert target.entry is not None
    graph = export(target.entry, folder, target=target, sandbox=sandbox, cache_dir=None)
    return analyse(graph, target, root=folder, output=folder / "out", thresholds=Thresholds(), sandbox=sandbox)


def test_targets_of_a_binary_cross_entropy_are_probabilities(tmp_path: Path) -> None:
    result = compared("loss", tmp_path)
    assert result.findings == ()
    assert all("agrees" in line for line in result.backends), result.backends


def test_a_model_that_samples_is_told_as_one_by_design(tmp_path: Path) -> None:
    result = compared("sampling", tmp_path)
    assert result.findings == ()
    assert all("samples" in line and "by design" in line for line in result.backends), result.backends


@pytest.mark.parametrize(
    ("limits", "low", "high"), [((0.0, 1.0), 0.0, 1.0), ((0.0, np.inf), 0.0, np.inf), (None, -np.inf, np.inf)]
)
def test_variants_stay_within_what_is_known(limits: tuple[float, float] | None, low: float, high: float) -> None:
    example = {"t": np.random.default_rng(0).random((16, 4)).astype(np.float32)}
    made = variants(example, {"t": limits} if limits else {})
    assert len(made.sets) == 3
    for each in made.sets:
        assert each.feeds["t"].dtype == np.float32
        assert low <= each.feeds["t"].min()
        assert each.feeds["t"].max() <= high
    assert not np.array_equal(made.sets[1].feeds["t"], example["t"])


def test_a_range_that_the_example_leaves_is_not_believed_and_infinities_stay() -> None:
    example = {"mask": np.array([[0.0, -np.inf], [0.0, 0.0]], np.float32), "x": np.full((4,), 3.0, np.float32)}
    made = variants(example, {"mask": (0.0, 1.0), "x": (0.0, 1.0)})
    for each in made.sets[1:]:
        assert np.array_equal(np.isneginf(each.feeds["mask"]), np.isneginf(example["mask"]))
        assert np.isfinite(each.feeds["x"]).all()
    assert made.sets[2].feeds["x"].max() < 0


def test_declared_ranges_are_those_of_every_analysis() -> None:
    x = ir.Value(name="x", type=ir.TensorType(ir.DataType.FLOAT), shape=ir.Shape([2]))
    b = ir.Value(name="b", type=ir.TensorType(ir.DataType.UINT8), shape=ir.Shape([2]))
    node = ir.Node("", "Relu", [x])
    graph = Graph(
        ir.Model(ir.Graph([x, b], [node.outputs[0]], nodes=[node], opset_imports={"": 18}), ir_version=10), "onnx"
    )
    assert known_ranges(graph, TargetConfig("m", path="m.onnx")) == {"b": (0.0, 255.0)}


def test_the_failures_of_the_comparison_itself_have_a_kind_of_their_own() -> None:
    assert kind_of_error("unreplayed") is Kind.UNREPLAYED
    assert kind_of_error("anything") is Kind.CRASH
    assert draws([Operation("a", "Add", (), ()), Operation("n", "RandomNormalLike", (), ())])
    assert not draws([Operation("a", "Add", (), ())])


def test_a_signal_is_as_long_as_its_window() -> None:
    def refused(feeds: object) -> str | None:
        assert isinstance(feeds, dict)
        return None if feeds["wave"].shape[1] >= 320 else "shorter than its window"

    wanted = [TensorInfo("wave", "float32", ("batch", "N"))]
    assert generate(wanted, TargetConfig("m"), refused).sets[0].feeds["wave"].shape == (2, 1024)


def test_pictures_are_not_made_as_large_as_sound() -> None:
    asked: list[tuple[int, ...]] = []

    def refused(feeds: object) -> str | None:
        assert isinstance(feeds, dict)
        asked.append(feeds["x"].shape)
        return "never"

    with pytest.raises(TargetProblem, match="never"):
        generate([TensorInfo("x", "float32", (1, 3, "h", "w"))], TargetConfig("m"), refused)
    assert max(asked) == (1, 3, 1024, 1024)


def test_what_every_engine_refuses_is_no_crash(tmp_path: Path) -> None:
    """The reference computes nothing of an input that is shorter than the window, and does not say so."""
    node = helper.make_node("Conv", ["x", "w"], ["y"], name="window")
    weights = {"w": np.ones((2, 1, 40000), np.float32)}
    save_onnx(tmp_path / "m.onnx", [node], weights, ["batch", 1, "N"])
    target = TargetConfig("m", path="m.onnx", backends=("onnxruntime",))
    with pytest.raises(TargetProblem, match=r"no generated inputs are accepted.*Conv"):
        analyse(load(tmp_path / "m.onnx"), target, root=tmp_path, output=tmp_path / "out", thresholds=Thresholds())


def test_lengths_are_those_of_what_is_free() -> None:
    def refused(feeds: object) -> str | None:
        assert isinstance(feeds, dict)
        return None if np.all(feeds["lengths"] == feeds["x"].shape[1]) else "no length of the sequence"

    wanted = [TensorInfo("x", "float32", ("b", "t", 3)), TensorInfo("lengths", "int64", ("b",))]
    assert generate(wanted, TargetConfig("m"), refused).sets[0].feeds["lengths"].tolist() == [7, 7]


def test_integers_that_are_guessed_stay_as_they_were_taken() -> None:
    """Lengths below the size were taken by chance: others may not be."""

    def refused(feeds: object) -> str | None:
        assert isinstance(feeds, dict)
        return None if feeds["lengths"].max() <= 7 else "longer than the sequence"

    wanted = [TensorInfo("x", "float32", ("b", "t", 3)), TensorInfo("lengths", "int64", ("b",))]
    sets = generate(wanted, TargetConfig("m"), refused).sets
    assert len(sets) > 1
    assert all(refused(each.feeds) is None for each in sets)
