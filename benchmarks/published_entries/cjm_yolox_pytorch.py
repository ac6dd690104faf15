"""Entry points of cjm-yolox-pytorch: blocks of its network that detects, before a classifier and its loss."""

import sys
from unittest.mock import MagicMock

import torch

sys.modules["cjm_psl_utils"] = sys.modules["cjm_psl_utils.core"] = MagicMock()  # downloads of weights

from cjm_yolox_pytorch.model import ConvModule, CSPLayer, Focus, SPPBottleneck  # noqa: E402


class _Classified(torch.nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.model = torch.nn.Sequential(*layers, torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten())
        self.head = torch.nn.Linear(8, 3)

    def forward(self, images, labels):
        return torch.nn.functional.cross_entropy(self.head(self.model(images)), labels)


def _images():
    return torch.rand(4, 3, 16, 16), torch.tensor([0, 2, 1, 1])


def focused():
    return _Classified(Focus(3, 8, 3)), _images()


def partial_stages():
    return _Classified(ConvModule(3, 8, 3, padding=1), CSPLayer(8, 8, 1)), _images()


def pyramid():
    return _Classified(ConvModule(3, 8, 3, padding=1), SPPBottleneck(8, 8, pool_sizes=[3, 5])), _images()
