"""Entry points of segment-anything: a small decoder of masks, its attention both ways, and prompts of points."""

import contextlib

import torch

for _name in ("nms", "qnms"):
    with contextlib.suppress(RuntimeError):  # a process that serves several entries has it already
        torch.library.define(f"torchvision::{_name}", "(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")

from segment_anything.modeling import MaskDecoder, PromptEncoder, TwoWayTransformer  # noqa: E402


class _Masks(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.prompts = PromptEncoder(16, (4, 4), (64, 64), 8)
        self.decoder = MaskDecoder(transformer_dim=16, transformer=TwoWayTransformer(1, 16, 2, 32))

    def forward(self, picture, points, labels):
        sparse, dense = self.prompts((points, labels), None, None)
        return self.decoder(picture, self.prompts.get_dense_pe(), sparse, dense, True)


def masks():
    points, labels = 64 * torch.rand(1, 3, 2), torch.tensor([[1, 0, 1]])
    return _Masks(), (torch.randn(1, 16, 4, 4), points, labels)


def both_ways():
    return TwoWayTransformer(2, 16, 2, 32), (torch.randn(1, 16, 4, 4), torch.randn(1, 16, 4, 4), torch.randn(1, 5, 16))
