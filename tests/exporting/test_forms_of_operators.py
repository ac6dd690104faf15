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


class Places(torch.nn.Module):
    def forward(self, x: torch.Tensor, one: torch.Tensor, ends: torch.Tensor) -> tuple[torch.Tensor, ...]:
        whole = torch.bucketize(x, ends), torch.bucketize(x, ends, right=True), torch.bucketize(x, ends, out_int32=True)
        return *whole, torch.bucketize(one, ends)


def test_places_between_boundaries_agree_with_torch() -> None:
    """Of a single number too, which the exporter's own decomposition reads: tracing refuses that."""
    x = torch.tensor([[0.0, 0.1, 1.0, -math.inf], [1.5, math.inf, 2.0, math.nan]])
    one, ends = torch.tensor(1.0), torch.tensor([0.0, 1.0, 1.0, 2.0])
    program = torch.onnx.export(
        torch.export.export(Places(), (x, one, ends)),
        dynamo=True,
        optimize=False,
        verbose=False,
        custom_translation_table=translations.table(torch),
    )
    assert program is not None
    session = onnxruntime.InferenceSession(program.model_proto.SerializeToString())
    made = session.run(None, {"x": x.numpy(), "one": one.numpy(), "ends": ends.numpy()})
    for ours, theirs in zip(made, Places()(x, one, ends), strict=True):
        torch.testing.assert_close(torch.from_numpy(ours), theirs)


class Means(torch.nn.Module):
    def forward(self, x: torch.Tensor, n: torch.Tensor) -> tuple[torch.Tensor, ...]:
        return x.mean(0, dtype=torch.float64), n.mean(1, keepdim=True, dtype=torch.float32), x.mean((0, 1)), x.mean(1)


def test_means_in_another_element_type_agree_with_torch() -> None:
    x, n = torch.tensor([[0.1, 2.0], [3.0, 4.0]]), torch.tensor([[1, 2], [4, 4]])
    program = torch.onnx.export(
        torch.export.export(Means(), (x, n)),
        dynamo=True,
        optimize=False,
        verbose=False,
        custom_translation_table=translations.table(torch),
    )
    assert program is not None
    session = onnxruntime.InferenceSession(program.model_proto.SerializeToString())
    for ours, theirs in zip(session.run(None, {"x": x.numpy(), "n": n.numpy()}), Means()(x, n), strict=True):
        torch.testing.assert_close(torch.from_numpy(ours), theirs)
