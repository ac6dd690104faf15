"""A floating-point example of zeros and ones holds truths: what needs numbers outside of [0, 1] is a warning."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import onnx_ir as ir
import pytest
from onnx import TensorProto, helper

from analyzer.configuration.config import InputSpec, TargetConfig
from analyzer.exporting.inside.shown import examples_show
from analyzer.findings import Confidence, Finding, Level
from analyzer.graph import Graph, ValueRange
from analyzer.graph.model import BINARY, SHOWN, SPAN
from analyzer.numerical.analysis import analyse
from analyzer.numerical.confirm.confirmation import ConfirmationBudget, Confirmer
from tests.numerical_detection.conftest import blocking, reviewed

N = helper.make_node
OPSET = {"opset_imports": [helper.make_opsetid("", 20)], "ir_version": 10}
TRUE, SOFT, WIDE = [0.0, 1, 1, 0, 1], [0.0, 1, 0.5, 0, 1], [0.0, 1, 1, -1, 1]


@pytest.fixture(scope="module")
def workers() -> Iterator[Confirmer]:
    with Confirmer(ConfirmationBudget(search=4.0)) as confirmer:
        yield confirmer


@pytest.mark.parametrize(
    ("array", "binary"),
    [
        (np.array([0.0, 1, 1, 0]), True),
        (np.array([[0.0, 1], [0, 0], [1, 0]], np.float32), True),
        (np.array([[0.0], [0], [0], [1]]), True),
        (np.array([0.0, 1, 1]), False),  # few
        (np.array([0.0, 1] * 4), False),  # enough for its range itself
        (np.zeros(6), False),
        (np.ones(6), False),
        (np.array(SOFT), False),
        (np.array([0.0, 1, 2, 0]), False),
        (np.array(WIDE), False),
        (np.array([0.0, 1, np.nan, 0]), False),
        (np.eye(2), False),  # perhaps a covariance
        (np.array([0, 1, 1, 0]), False),  # whole numbers, and truth values, say so themselves
        (np.array([False, True, True, False]), False),
    ],
)
def test_which_examples_are_zeros_and_ones_alone(array: Any, binary: bool) -> None:
    assert examples_show({"x": array})["binary"] == (["x"] if binary else [])


def review(
    workers: Confirmer, nodes: list[Any], example: list[float], name: str = "x", declared: ValueRange | None = None
) -> dict[str, Finding]:
    """Rule -> finding of a model of one input, called `x` in the nodes, whose example is given."""
    values = [helper.make_tensor_value_info(n, TensorProto.FLOAT, shape) for n, shape in (("x", [5]), ("y", None))]
    model = ir.from_proto(helper.make_model(helper.make_graph(nodes, "g", values[:1], values[1:]), **OPSET))
    told = examples_show({"x": np.array(example, np.float32)})
    model.graph.inputs[0].name = name
    properties = model.graph.inputs[0].metadata_props
    if told["binary"]:
        properties[BINARY] = "1"
    properties[SHOWN] = " ".join(map(repr, told["shown"]["x"]))
    properties[SPAN] = " ".join(map(repr, told["spans"]["x"]))
    inputs = {name: InputSpec(range=declared)} if declared is not None else {}
    target = TargetConfig(id="t", entry="t.py:build", inputs=inputs)
    found = analyse(Graph(model, "torch"), target, explain=False, confirmer=workers).findings
    return {f.rule.removeprefix("numerical/"): f for f in found if "gradient" not in f.rule}


def constant(name: str, number: float) -> Any:
    return N("Constant", [], [name], value_float=number)


SUM = N("ReduceSum", ["x"], ["s"], keepdims=0)
ROOT = [SUM, N("Sqrt", ["s"], ["y"])]
POSITIVES = [SUM, N("Reciprocal", ["s"], ["y"])]
NEGATIVES = [constant("one", 1), N("Sub", ["one", "x"], ["n"]), N("ReduceSum", ["n"], ["s"]), POSITIVES[1]]
SOFTENED = [constant("half", 0.5), N("Sub", ["x", "half"], ["d"]), N("Reciprocal", ["d"], ["y"])]
LARGER = [constant("three", 3), N("Sub", ["three", "x"], ["d"]), N("Sqrt", ["d"], ["y"])]


@pytest.mark.parametrize(
    ("nodes", "example", "level"),
    [
        (ROOT, TRUE, Level.WARNING),
        (ROOT, WIDE, Level.ERROR),
        (LARGER, TRUE, Level.WARNING),
        (LARGER, SOFT, Level.ERROR),  # numbers of any kind
        (POSITIVES, TRUE, Level.ERROR),  # a batch without a positive
        (NEGATIVES, TRUE, Level.ERROR),  # … and of nothing else
        (SOFTENED, TRUE, Level.ERROR),
    ],
)
def test_what_needs_numbers_outside_of_0_and_1_is_a_warning_where_the_example_holds_zeros_and_ones(
    workers: Confirmer, nodes: list[Any], example: list[float], level: Level
) -> None:
    (found,) = review(workers, nodes, example).values()
    assert (found.level, found.confidence) == (level, Confidence.CONFIRMED)
    named = any("labels outside [0, 1]" in s and "`x`" in s for s in found.evidence.sentences)
    assert named == (level is Level.WARNING)


def test_a_declared_range_is_taken_at_its_word(workers: Confirmer) -> None:
    (found,) = review(workers, ROOT, TRUE, declared=ValueRange(-5, 5)).values()
    assert found.level is Level.ERROR


@pytest.mark.parametrize(
    ("name", "nodes", "level"),
    [
        ("counts", LARGER, Level.ERROR),  # an amount may be more
        ("targets", LARGER, Level.WARNING),
        ("valid", POSITIVES, Level.WARNING),  # a mask by name that selects nothing at all
        ("targets", POSITIVES, Level.ERROR),
    ],
)
def test_what_the_name_says_goes_on_to_hold(workers: Confirmer, name: str, nodes: list[Any], level: Level) -> None:
    (found,) = review(workers, nodes, TRUE, name).values()
    assert found.level is level


MODELS = """
import torch
from torch import nn


class Significance(nn.Module):
    def __init__(self, guard):
        super().__init__()
        self.layer, self.guard = nn.Linear(3, 1), guard

    def forward(self, x, targets):
        p = torch.sigmoid(self.layer(x)).squeeze(1)
        s, b = (p * targets).sum(), (p * (1 - targets)).sum()
        return s / torch.sqrt(s + b + self.guard)


class Recalled(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(3, 1)

    def forward(self, x, targets):
        p = torch.sigmoid(self.layer(x)).squeeze(1)
        return (p * targets).sum() / targets.sum()


class Weighed(Recalled):
    def forward(self, x, targets, weights):
        p = torch.sigmoid(self.layer(x)).squeeze(1)
        return (weights * (p - targets) ** 2).sum() / (weights * targets).sum()


def inputs(*targets):
    torch.manual_seed(0)
    return torch.randn(len(targets), 3), torch.tensor(targets)


def significance():
    return Significance(1e-3), inputs(1.0, 0.0, 0.0, 1.0)


def of_any_numbers():
    return Significance(1e-3), inputs(1.0, 0.0, -0.5, 1.5)


def recalled():
    return Recalled(), inputs(1.0, 0.0, 0.0, 1.0)


def weighed():
    return Weighed(), (*inputs(1.0, 0.0, 0.0, 1.0), torch.tensor([0.5, 1.0, 2.0, 1.5]))
"""
BLOCKS = {
    "significance": set(),
    "of_any_numbers": {"sqrt-of-negative", "division-by-zero"},
    "recalled": {"division-by-zero"},
    "weighed": {"division-by-zero"},
}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Finding, ...]]:
    return reviewed(MODELS, BLOCKS, tmp_path_factory.mktemp("binary"))


@pytest.mark.parametrize("name", BLOCKS)
def test_what_blocks_of_losses_of_targets(found: dict[str, tuple[Finding, ...]], name: str) -> None:
    assert blocking(found[name]) == BLOCKS[name]


def test_the_warning_names_the_targets(found: dict[str, tuple[Finding, ...]]) -> None:
    told = [f for f in found["significance"] if f.level is Level.WARNING and f.rule.endswith("sqrt-of-negative")]
    assert any("`targets`" in line and "example" in line for f in told for line in f.evidence.sentences)
