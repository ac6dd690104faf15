"""Spaces from code: every verdict against real constructions, forks, floats, and the exported predicate."""

from __future__ import annotations

import itertools
import json
import runpy
from pathlib import Path
from typing import Any

import pytest

from analyzer.commands.cli import main

NET = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, depth, alpha, k, norm, groups, head):
        super().__init__()
        layers, c = [], 3
        for i in range(depth):
            out = max(4, int(8 * alpha) * (i + 1))
            layers.append(nn.Conv2d(c, out, k))
            if norm == "batch":
                layers.append(nn.BatchNorm2d(out))
            layers.append(nn.MaxPool2d(2))
            c = out
        self.features = nn.Sequential(*layers)
        self.mix = nn.Conv2d(c, c, 1, groups=groups)
        self.fc = nn.Linear(c * 2 * 2, 10)
        self.head = head

    def forward(self, x):
        y = self.mix(self.features(x))
        y = y.view(y.size(0), -1) if self.head else torch.flatten(y, 1)
        return torch.relu(self.fc(y))


def build(depth, alpha, k, norm, groups, head):
    return Net(depth, alpha, k, norm, groups, head)


def objective(trial):
    k = trial.suggest_int("k", 1, 7, step=2)
    width = trial.suggest_categorical("width", [4, 6])
    layers = [nn.Conv2d(1, width, k)]
    if trial.suggest_categorical("pool", [True, False]):
        layers.append(nn.MaxPool2d(trial.suggest_int("window", 1, 4)))
    return nn.Sequential(*layers, nn.Flatten(), nn.Linear(width * 3 * 3, 2)), (torch.zeros(1, 1, 6, 6),)
"""
DOMAINS = """version: 1
hyperparameters:
  depth: [1, 2, 3]
  alpha: [0.25, 0.7, 1.0]
  k: [1, 2, 3, 5]
  norm: [none, batch]
  groups: [1, 2, 3]
  head: [true, false]
inputs: {x: {shape: [batch, 3, 12, 12]}}
"""


def really(source: Path, vector: dict[str, Any]) -> bool:
    import torch

    module = runpy.run_path(str(source))
    try:
        module["build"](**vector)(torch.zeros(2, 3, 12, 12))
    except (RuntimeError, ValueError):
        return False
    return True


@pytest.fixture(scope="module")
def answered(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    pytest.importorskip("torch")
    folder = tmp_path_factory.mktemp("code")
    (folder / "net.py").write_text(NET)
    (folder / "space.yml").write_text(DOMAINS)
    options = ["--root", str(folder), "--json", str(folder / "out.json"), "--export", str(folder / "predicate.py")]
    assert main(["space", "net.py:build", "--space", str(folder / "space.yml"), *options]) == 1
    return folder, json.loads((folder / "out.json").read_text())[0]


def test_every_vector_is_decided_as_pytorch_builds_it(answered: tuple[Path, dict[str, Any]]) -> None:
    folder, data = answered
    assert data["complete"]
    assert [f["caveat"] for f in data["forks"] if f["caveat"]] == []
    predicate = runpy.run_path(str(folder / "predicate.py"))
    names = ("depth", "alpha", "k", "norm", "groups", "head")
    values = ((1, 2, 3), (0.25, 0.7, 1.0), (1, 2, 3, 5), ("none", "batch"), (1, 2, 3), (True, False))
    vectors = [dict(zip(names, v, strict=True)) for v in itertools.product(*values)]
    verdicts = [predicate["valid"](v) for v in vectors]
    assert verdicts == [really(folder / "net.py", v) for v in vectors]
    assert (sum(verdicts), len(vectors)) == (data["valid"], data["total"])


def test_an_optuna_function_gives_its_domains_itself(answered: tuple[Path, dict[str, Any]], tmp_path: Path) -> None:
    folder, _ = answered
    options = ["--root", str(folder), "--json", str(tmp_path / "o.json"), "--export", str(tmp_path / "p.py")]
    assert main(["space", "--optuna", "net.py:objective", *options]) == 1
    predicate = runpy.run_path(str(tmp_path / "p.py"))

    class Trial:
        params = {"k": 1, "width": 4, "pool": True, "window": 2}  # noqa: RUF012 - as Optuna's own

    assert predicate["constraints"](Trial) == (0.0,)
    assert predicate["valid"]({"k": 3, "width": 4, "pool": False}) is False
    assert predicate["valid"]({"k": 7, "width": 4, "pool": False}) is False
    assert predicate["valid"]({"k": 3, "width": 6, "pool": True, "window": 1}) is False


def test_code_without_domains_or_a_file_is_a_usage_error(tmp_path: Path) -> None:
    (tmp_path / "net.py").write_text(NET)
    assert main(["space", "net.py:build", "--root", str(tmp_path)]) == 2
    assert main(["space", "other.py:build", "--space", "none.yml", "--root", str(tmp_path)]) != 0


ASSERTED = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, image, patch):
        super().__init__()
        self.image = image
        self.proj = nn.Conv2d(3, 4, patch, patch)

    def forward(self, x):
        torch._assert(x.shape[2] == self.image, "another image")
        return self.proj(x)


def build(image, patch):
    return Net(image, patch)
"""


def test_what_torch_asserts_for_the_code_is_asked_by_the_code(tmp_path: Path) -> None:
    """As timm's patch embedding does: no shape would refuse an image of another size."""
    (tmp_path / "net.py").write_text(ASSERTED)
    (tmp_path / "space.yml").write_text(
        "version: 1\nhyperparameters: {image: [4, 6, 8], patch: [2, 5], side: [4, 6, 8]}\n"
        "inputs: {x: {shape: [1, 3, side, side]}}\n"
    )
    predicate = tmp_path / "keep.py"
    options = ["--space", str(tmp_path / "space.yml"), "--root", str(tmp_path), "--export", str(predicate)]
    assert main(["space", "net.py:build", *options]) == 1
    valid = runpy.run_path(str(predicate))["valid"]
    for image, patch, side in itertools.product((4, 6, 8), (2, 5), (4, 6, 8)):
        expected = image == side and patch <= side
        assert valid({"image": image, "patch": patch, "side": side}) is expected, (image, patch, side)


CHECKED = """
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.proj = nn.Conv2d(3, 4, 3)
        self.fc = nn.Linear(width, 2)

    def _check(self, x):
        return self.fc(x)

    def forward(self, x):
        return self._check(self.proj(x))


def build(width):
    return Net(width)
"""


def test_a_method_that_is_called_as_torch_s_helper_is_no_refusal_by_itself(tmp_path: Path) -> None:
    """What fails inside is the framework's, for some sizes: only the helper of PyTorch itself asks for its caller."""
    (tmp_path / "net.py").write_text(CHECKED)
    (tmp_path / "space.yml").write_text(
        "version: 1\nhyperparameters: {width: {min: 2, max: 40}}\ninputs: {x: {shape: [1, 3, 9, 9]}}\n"
    )
    predicate = tmp_path / "keep.py"
    options = ["--space", str(tmp_path / "space.yml"), "--root", str(tmp_path), "--export", str(predicate)]
    main(["space", "net.py:build", *options])
    valid = runpy.run_path(str(predicate))["valid"]
    assert {width: valid({"width": width}) for width in range(2, 41)} == {w: w == 7 for w in range(2, 41)}
