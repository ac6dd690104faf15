"""Domains from Hydra's folders and Ray's search spaces, read as data, and the models that code builds from them."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

from analyzer.commands.cli import main
from analyzer.problem import UsageProblem
from analyzer.validity.domain_sources import from_hydra, from_ray

CONFIG = """
defaults: [model: small, _self_]
seed: 3
hydra:
  mode: MULTIRUN
  sweeper:
    params:
      model.width: range(8, 25, 8)
      +heads: choice(1, 2, 3)
      act: relu,gelu
      rate: interval(0.0, 1.0)
"""
NET = """
import json
from torch import nn
import torch


def build(width, heads, depth):
    assert depth == 2
    return nn.MultiheadAttention(width, heads, batch_first=True)


class Net(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.layer = nn.Linear(8, width)
        self.heads = heads

    def forward(self, x):
        y = self.layer(x)
        return y.view(y.shape[0], self.heads, -1)


def configured(config):
    return Net(config["width"], config["heads"])


def composed(cfg):
    return Net(cfg.model.width, cfg.heads)
"""
RAY = """
from ray import tune

WIDTHS = [8, 10]
param_space = {
    "width": tune.choice(WIDTHS),
    "heads": tune.randint(1, 4),
    "more": {"layers": tune.qrandint(2, 6, 2), "norm": tune.grid_search(["batch", None])},
    "rate": tune.loguniform(1e-4, 1e-1),
    "epochs": 10,
}
odd = {"width": tune.sample_from(lambda spec: 3)}
"""


def folder(tmp_path: Path, config: str = CONFIG) -> Path:
    (tmp_path / "conf" / "model").mkdir(parents=True)
    (tmp_path / "conf" / "config.yaml").write_text(config)
    (tmp_path / "conf" / "model" / "small.yaml").write_text("width: 4\ndepth: 2\nname: ${seed}\n")
    return tmp_path / "conf"


def test_a_sweep_of_hydra_and_the_group_that_its_defaults_name(tmp_path: Path) -> None:
    found = {n: h.values for n, h in from_hydra(folder(tmp_path)).items()}
    assert found == {
        "width": (8, 16, 24), "depth": (2,), "seed": (3,), "heads": (1, 2, 3), "act": ("relu", "gelu"),
        "rate": (0.0, 0.5, 1.0),
    }  # fmt: skip


@pytest.mark.parametrize(
    ("config", "said"),
    [("seed: 3", "nothing is swept"), ("- 1", "no mapping"), ("hydra: {sweeper: {params: {a: range(a)}}}", "no range"),
     ("defaults: [model: ../../../etc]\nhydra: {sweeper: {params: {a: '1,2'}}}", "outside"),
     ("model: {a: 1}\nhydra: {sweeper: {params: {model: 'a,b'}}}", "group")],
)  # fmt: skip
def test_what_is_no_sweep_is_a_usage_error(tmp_path: Path, config: str, said: str) -> None:
    with pytest.raises(UsageProblem, match=said):
        from_hydra(folder(tmp_path, config))


def test_a_search_space_of_ray_is_read_and_not_run(tmp_path: Path) -> None:
    (tmp_path / "tune.py").write_text("raise SystemExit\n" + RAY)
    found = {n: h.values for n, h in from_ray("tune.py:param_space", tmp_path).items()}
    assert found == {
        "width": (8, 10), "heads": range(1, 4), "layers": range(2, 7, 2), "norm": ("batch", None),
        "rate": (1e-4, (1e-4 + 1e-1) / 2, 1e-1), "epochs": (10,),
    }  # fmt: skip
    for entry, said in (("tune.py:odd", "sample_from"), ("tune.py:none", "assigns no"), ("../x.py:a", "not a file")):
        with pytest.raises(UsageProblem, match=said):
            from_ray(entry, tmp_path)


@pytest.mark.parametrize("source", ["--ray", "--hydra"])
def test_models_of_one_configuration(tmp_path: Path, source: str) -> None:
    pytest.importorskip("torch")
    (tmp_path / "net.py").write_text(NET)
    (tmp_path / "tune.py").write_text(
        "from ray import tune\nparam_space = dict(width=tune.choice([8, 10]), heads=tune.randint(1, 4))\n"
    )
    (tmp_path / "in.yml").write_text("version: 1\ninputs: {x: {shape: [2, 8]}}\n")
    entry, given = (
        ("net.py:configured", "tune.py:param_space")
        if source == "--ray"
        else ("net.py:composed", str(folder(tmp_path)))
    )
    options = ["--space", str(tmp_path / "in.yml"), "--root", str(tmp_path), "--export", str(tmp_path / "keep.py")]
    assert main(["space", entry, source, given, *options]) == 1
    valid = runpy.run_path(str(tmp_path / "keep.py"))["valid"]
    rest = {"depth": 2, "seed": 3, "act": "relu", "rate": 0.0}
    for width in (8, 10) if source == "--ray" else (8, 16, 24):
        assert [valid({**rest, "width": width, "heads": heads}) for heads in (1, 2, 3)] == [
            width % heads == 0 for heads in (1, 2, 3)
        ]
