"""Entry points of configilm: its fusions of what images and questions hold, with a loss of the answer."""

import sys
import types

import torch

_package = sys.modules["configilm"] = types.ModuleType("configilm")
_package.__path__ = ["configilm"]

from configilm.Fusion.BlockFusion import Block  # noqa: E402
from configilm.Fusion.MFHFusion import MFH  # noqa: E402
from configilm.Fusion.MIDFusion import MIDF  # noqa: E402
from configilm.Fusion.MutanFusion import Mutan  # noqa: E402


class _Answered(torch.nn.Module):
    def __init__(self, fusion, width=6):
        super().__init__()
        self.fusion, self.head = fusion, torch.nn.Linear(width, 4)

    def forward(self, images, questions, answers):
        return torch.nn.functional.cross_entropy(self.head(self.fusion(images, questions)), answers)


def _pairs(first=8, second=5):
    return torch.randn(3, first), torch.randn(3, second), torch.tensor([0, 3, 1])


def block():
    return _Answered(Block([8, 5], 6, mm_dim=12, chunks=3, rank=2)), _pairs()


def high_order():
    return _Answered(MFH([8, 5], 6, mm_dim=8, normalize=True)), _pairs()


def mutan():
    return _Answered(Mutan([8, 5], 6, mm_dim=8, rank=3, normalize=True)), _pairs()


def dynamic():
    return _Answered(MIDF(8, mm_dim=8), 8), _pairs(8, 8)
