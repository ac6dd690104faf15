"""Entry points of deeptorchblocks: its recurrent cells and blocks of convolutions, with losses."""

import sys

import torch

sys.path.append("nn_modules")  # whose modules import one another by their bare names

from Dense import DenseLayer
from Recurrent import DeepGRU, DeepLSTM
from Residual import BottleneckBlock, InvResBlock
from Standard import SquExBlock


class _Loss(torch.nn.Module):
    def __init__(self, model, loss):
        super().__init__()
        self.model, self.loss = model, loss

    def forward(self, features, wanted):
        given = self.model(features)
        return self.loss(given[0] if isinstance(given, tuple) else given, wanted)


def _images(block, channels):
    head = torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(channels, 3)
    model = torch.nn.Sequential(block, *head)
    return _Loss(model, torch.nn.functional.cross_entropy), (torch.randn(4, 8, 8, 8), torch.tensor([0, 2, 1, 1]))


def dense_block():
    return _images(DenseLayer(8, 4, device="cpu"), 12)


def bottleneck():
    return _images(BottleneckBlock(8, 8, 3, 1, 2, torch.nn.ReLU(), device="cpu"), 8)


def inverted_residual():
    return _images(InvResBlock(8, 8, 2, 1, device="cpu"), 8)


def squeezed():
    return _images(SquExBlock(8, 2, torch.nn.Hardsigmoid(), device="cpu"), 8)


def deep_memory():
    return DeepLSTM(3, 6, 2, 2, device="cpu"), (torch.randn(4, 5, 3),)


def deep_gates():
    return DeepGRU(3, 6, 2, 2, device="cpu"), (torch.randn(4, 5, 3),)
