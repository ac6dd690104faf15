"""Functions of torch whose shapes are told as a real call gives them, and refused where it refuses."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
import torch

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.contracts.hints import hints
from analyzer.tracing.paths.frames import Shared
from analyzer.tracing.tracing import explore

FITTING = """
x(5, 1).pow(x(5))
x(5, 1).clamp_min(x(4))
x(5, 1).clamp(x(4), max=x(3, 1, 1))
x(5, 4).clamp(0, 1)
x(5, 4).clip(min=0)
x(5, 4).polygamma(2)
torch.asinh(x(3, 4))
x(3, 4).atanh()
torch.deg2rad(x(3))
x(3, 4).sgn()
torch.fliplr(x(3, 4))
torch.logspace(0, 1, 7, 2.0)
torch.combinations(x(5), 3)
torch.combinations(x(5), r=2, with_replacement=True)
torch.pdist(x(5, 3))
torch.scalar_tensor(3)
torch.hsplit(x(4, 6), 3)
torch.vsplit(x(5, 2), [1, 3])
torch.tensor_split(x(7, 2), (2, 5))
x(7, 2).split_with_sizes((3, 4))
torch.split_with_sizes(x(2, 7), split_sizes=[3, 4], dim=1)
torch.linalg.solve_triangular(x(4, 4), x(4, 2), upper=True)
torch.linalg.solve_triangular(x(3, 4, 4), x(2, 4), upper=False, left=False)
torch.triangular_solve(x(4, 2), x(4, 4))
torch.linalg.inv_ex(x(3, 2, 2))
torch.linalg.lu_factor(torch.eye(3, 5))
torch.linalg.lu(x(2, 3, 5))
torch.linalg.multi_dot([x(2, 3), x(3, 4), x(4, 5)])
torch.linalg.vecdot(x(2, 1, 4), x(3, 4))
torch.vdot(x(4), x(4))
torch.fft.ihfft(x(6))
torch.fft.rfft2(x(4, 6), dim=0)
F.margin_ranking_loss(x(4), x(4), x(4))
F.margin_ranking_loss(x(4, 1), x(1, 4), x(4, 4), reduction="none")
F.triplet_margin_loss(x(4, 3), x(4, 3), x(4, 3))
F.hinge_embedding_loss(x(4, 3), torch.ones(4, 3), reduction="none")
nn.TripletMarginWithDistanceLoss()(x(4, 3), x(4, 3), x(4, 3))
nn.MarginRankingLoss(reduction="none")(x(4), x(4), x(4))
F.mse_loss(x(4, 1), x(3, 1, 5), reduction="none")
F.kl_div(x(4, 1), x(4, 5), reduction="none")
nn.SmoothL1Loss(reduction="none")(x(5), x(2, 1, 5))
nn.CosineEmbeddingLoss()(x(4, 3), x(4, 3), torch.ones(4))
nn.CTCLoss()(x(9, 2, 5).log_softmax(2), torch.ones(2, 3, dtype=torch.long), torch.tensor([9, 9]), torch.tensor([3, 3]))
F.embedding_bag(torch.zeros(2, 3, dtype=torch.long), x(10, 4))
F.embedding_bag(torch.zeros(6, dtype=torch.long), x(10, 4), torch.tensor([0, 2, 4]))
F.upsample_nearest(x(1, 2, 3, 3), scale_factor=2)
torch.linalg.lstsq(x(5, 2) + 1, x(5)).solution
torch.linalg.lstsq(x(3, 5, 2) + 1, x(3, 5))[0]
torch.linalg.lstsq(input=x(3, 5, 2) + 1, b=x(3, 5, 4), rcond=None).solution
nn.MultiheadAttention(8, 2)(x(5, 3, 8), x(6, 3, 8), x(6, 3, 8))
nn.MultiheadAttention(8, 2, batch_first=True)(x(3, 5, 8), x(3, 6, 8), x(3, 6, 8), average_attn_weights=False)
""".strip().splitlines()
REFUSED = """
x(5, 2).pow(x(5))
x(5, 4).clamp(x(3))
torch.hsplit(x(4, 5), 2)
torch.vsplit(x(4), 2)
torch.pdist(x(5))
torch.linalg.solve_triangular(x(4, 4), x(3, 2), upper=True)
torch.linalg.solve_triangular(x(4, 3), x(4, 2), upper=True)
torch.linalg.multi_dot([x(2, 3), x(4, 4)])
torch.linalg.lstsq(x(3, 2), x(4, 1))
torch.linalg.lstsq(x(1, 5), x(5))
torch.linalg.lstsq(input=x(5, 2), b=x(4), rcond=None)
F.margin_ranking_loss(x(4), x(3), x(4))
x(7, 2).split_with_sizes((3, 5))
""".strip().splitlines()
HEAD = "import torch, torch.nn as nn, torch.nn.functional as F\nx = torch.zeros\n"


def traced(tmp_path: Path, text: str) -> Shared:
    return explore(tmp_path, "net.py", ast.parse(text), Versions())


def real(call: str) -> Any:
    names = {"torch": torch, "nn": torch.nn, "F": torch.nn.functional, "x": torch.zeros}
    return eval(call, names)


@pytest.mark.parametrize("call", FITTING)
def test_shapes_are_those_of_a_real_call(tmp_path: Path, call: str) -> None:
    made = real(call)
    tensors = [made] if isinstance(made, torch.Tensor) else list(made)
    targets = "y" if isinstance(made, torch.Tensor) else ", ".join(f"y{i}" for i in range(len(tensors)))
    text = f"{HEAD}{targets} = {call}\n"
    shared = traced(tmp_path, text)
    assert not shared.problems
    assert not shared.unknown_calls
    told = [h.shape for h in hints(shared, "net.py", text) if h.line == 3]
    assert told == [str(list(t.shape)) for t in tensors]


@pytest.mark.parametrize("call", REFUSED)
def test_what_a_real_call_refuses_is_an_error(tmp_path: Path, call: str) -> None:
    with pytest.raises((RuntimeError, ValueError)):
        real(call)
    shared = traced(tmp_path, f"{HEAD}y = {call}\n")
    assert [p.site.line for p in shared.problems.values() if p.level == "error" and p.proved] == [3]


@pytest.mark.parametrize(
    ("made", "shape"),
    [
        ("torch.autograd.grad(layer(v).sum(), v)[0]", "[3, 4]"),
        ("torch.autograd.grad(layer(v).sum(), [v, layer.weight])[1]", "[2, 4]"),
        ("torch.autograd.grad(layer(v), v, grad_outputs=x(3, 2))[0]", "[3, 4]"),
        ("torch.autograd.functional.jacobian(layer, v)", "[3, 2, 3, 4]"),
        ("torch.func.functional_call(layer, dict(layer.named_parameters()), (v,))", "[3, 2]"),
    ],
)
def test_gradients_have_the_shapes_of_what_they_are_of(tmp_path: Path, made: str, shape: str) -> None:
    head = f"{HEAD}layer = nn.Linear(4, 2)\nv = torch.zeros(3, 4, requires_grad=True)\n"
    names: dict[str, Any] = {}
    exec(head + f"y = {made}", names)
    assert str(list(names["y"].shape)) == shape
    text = f"{head}y = {made}\n"
    assert [h.shape for h in hints(traced(tmp_path, text), "net.py", text) if h.line == 5] == [shape]


def test_an_output_of_many_elements_has_no_gradient_of_its_own(tmp_path: Path) -> None:
    text = f"{HEAD}v = torch.zeros(3, requires_grad=True)\ng = torch.autograd.grad(v * 2, v)\n"
    with pytest.raises(RuntimeError):
        exec(text, {})
    assert [p.site.line for p in traced(tmp_path, text).problems.values()] == [4]


FORKED = """
import torch
from torch import nn
x = torch.zeros(2, 4)
begun = [torch.jit.fork(head, x) for head in (nn.Linear(4, 5), nn.Linear(4, 6))]
joined = torch.cat([torch.jit.wait(each) for each in begun], dim=-1)
print(begun[0].wait(), begun[0].done())
nn.Linear({}, 3)(joined)
"""


@pytest.mark.parametrize(("size", "fails"), [(11, False), (10, True)])
def test_what_is_called_beside_the_program(tmp_path: Path, size: int, fails: bool) -> None:
    problems = traced(tmp_path, FORKED.format(size)).problems.values()
    assert [p.proved for p in problems if p.level == "error"] == [True] * fails


@pytest.mark.parametrize(("axis", "fails"), [(0, False), (1, True)])
def test_what_is_timed_is_called(tmp_path: Path, axis: int, fails: bool) -> None:
    text = f"import timeit, torch\nx = torch.rand(10)\nprint(timeit.timeit(lambda: torch.cat([x], dim={axis})) * 2)\n"
    problems = traced(tmp_path, text).problems.values()
    assert [p.proved for p in problems if p.level == "error"] == [True] * fails
