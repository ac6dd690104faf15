"""Our own ONNX forms of torch's operators compute what torch computes, at the edges too."""

from __future__ import annotations

import math

import onnxruntime
import torch

from analyzer.exporting.inside import translations


class Net(torch.nn.Module):
    def forward(self, x: torch.Tensor, y: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return (
            x.diagonal(),
            y.diagonal(1, 0, 2),
            torch.sinc(x),
            torch.histc(x, 5, -1, 1),
            torch.special.entr(x),
            torch.cdist(x, x, p=1.0),
        )


def test_they_agree_with_torch() -> None:
    x = torch.tensor([[0.0, math.inf, -0.6], [1e-45, 1.0, -1.0], [0.2, 3.0, 0.5]])
    y = torch.arange(24.0).reshape(2, 4, 3)
    program = torch.onnx.export(
        Net(), (x, y), dynamo=True, optimize=False, verbose=False, custom_translation_table=translations.table(torch)
    )
    assert program is not None
    session = onnxruntime.InferenceSession(program.model_proto.SerializeToString())
    made = session.run(None, {"x": x.numpy(), "y": y.numpy()})
    for ours, theirs in zip(made[:-1], Net()(x, y), strict=False):
        torch.testing.assert_close(torch.from_numpy(ours), theirs, equal_nan=True)
