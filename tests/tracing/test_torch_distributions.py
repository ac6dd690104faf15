"""torch.distributions of vectors, held against torch: each program is run and traced."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import Any

import pytest
import torch

from analyzer.frameworks.requested_versions import Versions
from analyzer.tracing.paths.frames import Shared
from analyzer.tracing.tracing import explore

HEAD = """import torch
D = torch.distributions
z, o, eye = torch.zeros, torch.ones, torch.eye
class Own(D.Categorical):
    def __init__(self, probs, **kwargs):
        self.greedy = kwargs.pop("greedy", False)
        D.Categorical.__init__(self, probs, **kwargs)
    def sample(self):
        return self.probs.argmax(-1) if self.greedy else D.Categorical.sample(self)
class Squashed(D.Normal):
    def rsample(self, sample_shape=()):
        return torch.tanh(super().rsample(sample_shape))
"""

LINE = HEAD.count("\n") + 1
FITTING = """
D.MultivariateNormal(z(2), eye(2)).sample((5,))
D.MultivariateNormal(z(2), eye(2)).sample()
D.MultivariateNormal(z(5, 1, 2), eye(2).expand(3, 2, 2)).rsample((4, 1))
D.MultivariateNormal(z(3, 2), scale_tril=eye(2)).log_prob(z(7, 1, 2))
D.MultivariateNormal(z(3, 2), precision_matrix=eye(2)).entropy()
D.multivariate_normal.MultivariateNormal(z(2).double(), eye(2).double()).sample((6,))
D.Dirichlet(o(3, 4)).sample((5,))
D.Dirichlet(o(3, 4)).log_prob(o(3, 4) / 4)
D.Dirichlet(o(4)).mean
D.OneHotCategorical(logits=z(3, 4)).sample()
D.OneHotCategorical(o(3, 4)).log_prob(eye(4)[:3])
D.OneHotCategorical(o(3, 4)).entropy()
D.Independent(D.Normal(z(5, 3), o(3)), 1).rsample()
D.Independent(D.Normal(z(5, 3), 1.0), 1).log_prob(z(2, 5, 3))
D.Independent(D.Normal(z(5, 3, 2), 1.0), 2).entropy()
D.Independent(D.MultivariateNormal(z(5, 2), eye(2)), 1).log_prob(z(5, 2))
D.Normal(z(3), 1.0).mean
D.Normal(z(3, 1), o(4)).stddev
D.Categorical(o(3, 4)).probs
D.Categorical(logits=z(3, 4)).logits
D.kl_divergence(D.Normal(z(5, 3), 1.0), D.Normal(0.0, 1.0))
D.kl.kl_divergence(D.Categorical(o(5, 3)), D.Categorical(o(3)))
D.Weibull(o(3), 1.0).sample((2,))
D.Binomial(10, o(3) / 2).sample()
D.Geometric(o(3) / 2).log_prob(o(2, 3))
Own(o(3, 4)).sample()
Own(o(3, 4), greedy=True).sample()
Own(o(3, 4)).log_prob(z(3))
Own(o(3, 4)).entropy()
Squashed(z(3), 1.0).rsample((2,))
Squashed(z(3), 1.0).log_prob(z(3))
z(*D.Normal(z(3, 2), 1.0).batch_shape)
z(*D.Independent(D.Normal(z(3, 2), 1.0), 1).event_shape)
""".strip().splitlines()
REFUSED = """
D.MultivariateNormal(z(3, 2), eye(2)).sample((5,)) + z(4, 2)
D.MultivariateNormal(z(3, 2), eye(2)).log_prob(z(7, 2))
D.Normal(z(3), o(4))
D.Dirichlet(o(3, 4)).sample((5,)) + z(4, 3)
D.Independent(D.Normal(z(5, 3), 1.0), 1).log_prob(z(4, 3))
D.kl_divergence(D.Normal(z(3), 1.0), D.Normal(z(4), 1.0))
Own(o(3, 4)).log_prob(z(5))
Own(o(3)).log_prob(z(())).unsqueeze(2)
Squashed(z(3), 1.0).rsample() + z(4)
""".strip().splitlines()
OPEN = """
D.MultivariateNormal(z(1), eye(2)).mean
""".strip().splitlines()


def traced(tmp_path: Path, call: str) -> Shared:
    return explore(tmp_path, "net.py", ast.parse(f"{HEAD}y = {call}\n"), Versions())


def real(call: str) -> Any:
    names: dict[str, Any] = {}
    exec(f"{HEAD}y = {call}\n", names)
    return names["y"]


@pytest.mark.parametrize("call", FITTING)
def test_shapes_and_element_types_are_those_of_a_real_call(tmp_path: Path, call: str) -> None:
    made = real(call)
    shared = traced(tmp_path, call)
    assert not shared.problems
    tensors = [t for (_, line, _), found in shared.assigned.items() if line == LINE for t in found]
    assert {tensor.dims for tensor in tensors} == {tuple(made.shape)}
    for tensor in tensors:
        assert tensor.dtype in (None, str(made.dtype).removeprefix("torch."))


@pytest.mark.parametrize("call", REFUSED)
def test_what_a_real_call_refuses_is_an_error(tmp_path: Path, call: str) -> None:
    with pytest.raises((RuntimeError, ValueError, IndexError)):
        real(call)
    assert [p.site.line for p in traced(tmp_path, call).problems.values() if p.level == "error"] == [LINE]


@pytest.mark.parametrize("call", OPEN)
def test_nothing_is_said_of_what_runs(tmp_path: Path, call: str) -> None:
    assert isinstance(real(call), torch.Tensor)
    assert not traced(tmp_path, call).problems


@pytest.mark.parametrize(("call", "line"), [("Pairs()(torch.zeros({}))", 4), ("Pairs().inv(torch.zeros({}, 1))", 6)])
def test_a_transform_of_the_program(tmp_path: Path, call: str, line: int) -> None:
    text = (
        "import torch\nclass Pairs(torch.distributions.Transform):\n    def _call(self, x):\n"
        "        return x.view(-1, 2)\n    def _inverse(self, y):\n        return y.view(2, -1)\n"
    )
    for size, lines in ((4, []), (5, [line])):
        shared = explore(tmp_path, "program.py", ast.parse(text + call.format(size) + "\n"), Versions())
        assert [p.site.line for p in shared.problems.values() if p.proved] == lines
