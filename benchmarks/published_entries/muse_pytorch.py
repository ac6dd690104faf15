"""Entry points of muse-pytorch: its encoder of two views of a cell, with the losses of its training step."""

import sys
import types

import torch

_package = sys.modules["muse_pytorch"] = types.ModuleType("muse_pytorch")
_package.__path__ = ["muse_pytorch"]

from muse_pytorch.blocks import Decoder, MultiViewEncoder, WeightMatrix  # noqa: E402


class _Views(torch.nn.Module):
    def __init__(self, penalty):
        super().__init__()
        self.mve, self.penalty = MultiViewEncoder(5, 6, 4, 3), penalty
        self.wm_x, self.wm_y = WeightMatrix(3), WeightMatrix(3)
        self.decoder_x, self.decoder_y = Decoder(3, 5, 4), Decoder(3, 6, 4)

    def forward(self, transcripts, shapes):
        joint, _, _ = self.mve(transcripts, shapes)
        found = self.decoder_x(self.wm_x(joint)), self.decoder_y(self.wm_y(joint))
        loss = torch.nn.functional.mse_loss(transcripts, found[0]) + torch.nn.functional.mse_loss(shapes, found[1])
        return loss + self.penalty * (self.wm_x.fnorm() + self.wm_y.fnorm())


def views():
    return _Views(0.0), (torch.randn(4, 5), torch.randn(4, 6))


def sparse_views():
    return _Views(5.0), (torch.randn(4, 5), torch.randn(4, 6))
