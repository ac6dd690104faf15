"""What constructors of layers take by position, held against the frameworks; where members of a sequence fail."""

from __future__ import annotations

import ast
import inspect
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.operators.constructors import positional
from analyzer.tracing.tracing import explore


def of_framework(layer: type) -> list[str]:
    parameters = list(inspect.signature(layer).parameters.values())
    return [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]


def test_positions_are_those_of_pytorch() -> None:
    from torch import nn

    layers = {n: v for n, v in vars(nn).items() if isinstance(v, type) and issubclass(v, nn.Module)}
    told = {n: list(positional("torch", n)) for n in layers}
    assert sum(map(bool, told.values())) > 100
    assert {n: names for n, names in told.items() if names and names != of_framework(layers[n])} == {}


def test_positions_are_those_of_keras() -> None:
    import keras

    layers = {n: v for n, v in vars(keras.layers).items() if isinstance(v, type)}
    told = {n: list(positional("keras", n)) for n in layers}
    assert sum(map(bool, told.values())) > 100
    assert {n: names for n, names in told.items() if names and names != of_framework(layers[n])} == {}


HEAD = "import torch\nimport keras\nfrom torch import nn\n"


@pytest.mark.parametrize(("width", "wrong"), [(5, False), (6, True)])
@pytest.mark.parametrize(
    "layer",
    [
        "nn.LazyLinear(5)", "nn.Linear(3, 5, True, None)", "nn.Sequential(nn.LazyLinear(5), nn.LazyBatchNorm1d(1e-5))",
        "nn.Sequential(nn.Linear(3, 5), nn.BatchNorm1d(5, 1e-5, 0.1, True, True, None))",
    ],
)  # fmt: skip
def test_arguments_by_position(tmp_path: Path, layer: str, width: int, wrong: bool) -> None:
    text = f"{HEAD}y = {layer}(torch.zeros(2, 3)) @ torch.zeros({width}, 2)\n"
    found = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    assert [p.level for p in found] == (["error"] if wrong else [])


@pytest.mark.parametrize(
    ("asked", "known"),
    [("a == b", False), ("a == a", True), ("a == c", None)],
)
def test_tensors_of_a_graph_are_compared_as_objects(tmp_path: Path, asked: str, known: bool | None) -> None:
    head = f"{HEAD}a, b, c = keras.Input((3,)), keras.Input((2, 4)), keras.Input((5,))\n"
    scope: dict[str, bool] = {}
    exec(f"{head}found = bool({asked})\n", scope)
    assert scope["found"] is (False if known is None else known)
    lines = {
        size: [
            p.site.line
            for p in explore(
                tmp_path, "net.py",
                ast.parse(f"{head}n = {size} if {asked} else 4\nnn.Linear(4, 2)(torch.zeros(2, n))\n"), Versions(),
            ).problems.values()
            if p.level == "error" and p.certain
        ]
        for size in (4, 5)
    }  # fmt: skip
    assert lines == {4: [], 5: [6] if known else []}
