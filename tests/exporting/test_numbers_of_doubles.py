"""Numbers of a program that only a double holds are those of the exported model too."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import onnxruntime
import pytest
import torch

from analyzer.exporting.inside import allowances

LEAST, MOST = 1e-300, 1e300
FUNCTIONS: list[Callable[[torch.Tensor], torch.Tensor]] = [
    lambda x: torch.log(x.clamp(min=LEAST)),
    lambda x: torch.log(x.clamp(min=torch.finfo(x.dtype).tiny)),
    lambda x: torch.log(x + LEAST),
    lambda x: 1 / torch.clamp_min(x, LEAST),
    lambda x: torch.where(x > 0, x, LEAST).log(),
    lambda x: x.masked_fill(x == 0, LEAST).log(),
    lambda x: torch.full_like(x, LEAST).log(),
    lambda x: (x + torch.tensor(LEAST, dtype=x.dtype)).log(),
    lambda x: (x + 1) * LEAST,
    lambda x: (x + 1) / MOST,
    lambda x: LEAST - x,
    lambda x: (x < LEAST).double(),
    lambda x: (x + 1) * 0.1 + 2.5,
    lambda x: torch.log(1 - x.clamp(1e-10, 1 - 1e-10)),
]


class Net(torch.nn.Module):
    def __init__(self, function: Callable[[torch.Tensor], torch.Tensor]) -> None:
        super().__init__()
        self.function = function

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return self.function(x)


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_guard_of_doubles_stays(function: Callable[..., Any]) -> None:
    net, x = Net(function), torch.tensor([0.0, 1.0, 3.0], dtype=torch.float64)
    program = torch.export.export(net, (x,))
    with allowances.numbers_of_doubles(program, torch):
        written = torch.onnx.export(program, (x,), dynamo=True, optimize=False, verbose=False)
    assert written is not None
    session = onnxruntime.InferenceSession(written.model_proto.SerializeToString())
    (made,) = session.run(None, {i.name: x.numpy() for i in session.get_inputs()})
    np.testing.assert_allclose(made, net(x).numpy(), rtol=1e-12)


def test_single_precision_is_as_it_was() -> None:
    x = torch.tensor([0.0, 1.0])
    net = Net(lambda x: x.clamp(min=1e-8) + 0.1)
    program = torch.export.export(net, (x,))
    plain = torch.onnx.export(program, (x,), dynamo=True, optimize=False, verbose=False)
    with allowances.numbers_of_doubles(program, torch):
        written = torch.onnx.export(program, (x,), dynamo=True, optimize=False, verbose=False)
    assert plain is not None
    assert written is not None
    assert written.model_proto.graph.node == plain.model_proto.graph.node
