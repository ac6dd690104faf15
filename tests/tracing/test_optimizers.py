"""Optimizers that a program writes itself: their parameters have shapes, and what a step does with them is followed."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.tracing import explore

SOURCE = """import torch
from torch.optim import Optimizer

class Mine(Optimizer):
    def __init__(self, params, lr=1e-3, betas=(0.9, 0.99)):
        super().__init__(params, dict(lr=lr, betas=betas))

    @torch.no_grad()
    def step(self, closure=None):
        for group in self.param_groups:
            beta1, beta2 = group["betas"]
            for p in group["params"]:
                if p.grad is None:
                    continue
                grad = p.grad
                if grad.is_sparse:
                    raise RuntimeError("sparse")
                state = self.state[p]
                if len(state) == 0:
                    state["step"] = 0
                    state["mean"] = torch.zeros_like(p)
                    if p.ndim == 2:
                        state["row"] = torch.zeros(p.shape[AXIS])
                state["step"] += 1
                state["mean"].mul_(beta1).add_(grad, alpha=1 - beta1)
                if p.ndim == 2:
                    state["row"].add_(grad.sum(dim=1))
                p.add_(state["mean"], alpha=-group["lr"])

NET
optimizer = Mine(PARAMS)
for i in range(3):
    optimizer.zero_grad()
    net(torch.zeros(2, 3)).sum().backward()
    optimizer.step()
"""
NETS = [
    "net = torch.nn.Linear(3, 5)",
    "net = torch.nn.Sequential(torch.nn.LayerNorm(3), torch.nn.Linear(3, 4), torch.nn.ReLU(), torch.nn.Linear(4, 7))",
]


@pytest.mark.parametrize("params", ["net.parameters()", "[{'params': list(net.parameters()), 'lr': 0.1}]"])
@pytest.mark.parametrize("net", NETS)
@pytest.mark.parametrize("axis", [0, 1])
def test_a_step_is_followed(tmp_path: Path, axis: int, net: str, params: str) -> None:
    source = SOURCE.replace("NET", net).replace("PARAMS", params).replace("AXIS", str(axis))
    try:
        exec(source, {})
        fails = False
    except RuntimeError:
        fails = True
    found = explore(tmp_path, "net.py", ast.parse(source), Versions()).problems.values()
    wrong = source.splitlines().index("""                    state["row"].add_(grad.sum(dim=1))""") + 1
    assert [p.site.line for p in found if p.level == "error"] == ([wrong] if fails else [])


def test_parameters_of_a_class_have_their_order(tmp_path: Path) -> None:
    source = """import torch
class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(4))
        self.layer = torch.nn.Linear(4, 6, bias=False)
        self.inner = torch.nn.Sequential(torch.nn.Conv2d(1, 2, 3), torch.nn.BatchNorm2d(2))

shapes = [tuple(p.shape) for p in Net().parameters()]
names = [name for name, _ in Net().named_parameters()]
assert shapes == [(4,), (6, 4), (2, 1, 3, 3), (2,), (2,), (2,)]
assert names == ["scale", "layer.weight", "inner.0.weight", "inner.0.bias", "inner.1.weight", "inner.1.bias"]
torch.zeros(2, len(shapes)) @ torch.zeros(5, 2)
"""
    found = explore(tmp_path, "net.py", ast.parse(source), Versions()).problems.values()
    assert [p.site.line for p in found if p.level == "error"] == [13]


GIVEN = [
    ("torch.optim.Adam(net.parameters(), lr=0.1)", "param_groups[0]['params'][2]", (5, 4)),
    ("torch.optim.SGD(params=list(net.parameters()), lr=0.1)", "param_groups[0]['params'][1]", (4,)),
    ("torch.optim.RAdam([{'params': net[1].parameters(), 'lr': 0.1}, {'params': net[0].weight}])",
     "param_groups[1]['params'][0]", (4, 3)),
    ("torch.optim.AdamW(net[0].parameters())", "param_groups[-1]['params'][0]", (5, 4)),
    ("torch.optim.NAdam([net[1].bias])", "param_groups[0]['params'][0]", (5,)),
]  # fmt: skip


@pytest.mark.parametrize(("made", "asked", "shape"), GIVEN)
@pytest.mark.parametrize("more", [0, 1])
def test_torchs_own_hold_what_they_were_given(
    tmp_path: Path, made: str, asked: str, shape: tuple[int, ...], more: int
) -> None:
    added = "optimizer.add_param_group({'params': [net[1].weight]})\n" if "-1" in asked else ""
    size = (*shape[:-1], shape[-1] + more)
    text = f"""import torch
net = torch.nn.Sequential(torch.nn.Linear(3, 4), torch.nn.Linear(4, 5))
optimizer = {made}
{added}optimizer.{asked}.detach() + torch.zeros({size})
"""
    try:
        exec(text, {})
        fails = False
    except RuntimeError:
        fails = True
    found = explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values()
    assert [p.site.line for p in found if p.proved] == ([text.count("\n")] if fails else [])
    assert fails is bool(more)


def test_settings_are_what_a_schedule_makes_of_them(tmp_path: Path) -> None:
    text = """import torch
net = torch.nn.Linear(3, 4)
optimizer = torch.optim.SGD([{"params": net.parameters(), "lr": 0.5}])
torch.optim.lr_scheduler.StepLR(optimizer, 1).step()
if optimizer.param_groups[0]["lr"] == 0.5:
    torch.zeros(2) + torch.zeros(3)
"""
    assert not any(p.proved for p in explore(tmp_path, "net.py", ast.parse(text), Versions()).problems.values())
