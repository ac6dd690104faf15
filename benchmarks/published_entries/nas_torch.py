"""Entry points of nas-torch: networks built from the configurations that its search changes, and its controllers."""

import sys

import torch

sys.path.insert(0, "nas-torch")  # the folder of its modules is no package

from layer_classes import Conv2dCfg, FlattenCfg, GlobalAvgPoolCfg, LinearCfg, MaxPool2dCfg, ResBlockCfg
from model import DynamicNet
from optimizer import ControllerTransformer


class _Classified(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, images, labels):
        return torch.nn.functional.cross_entropy(self.model(images), labels)


def _images():
    return torch.rand(4, 1, 8, 8), torch.tensor([0, 4, 2, 2])


def convolved():
    layers = [
        Conv2dCfg(1, 4, kernel_size=3, padding=1, activation=torch.nn.ReLU),
        MaxPool2dCfg(kernel_size=2),
        FlattenCfg(),
        LinearCfg(64, 5, activation=None),
    ]
    return _Classified(DynamicNet(layers, input_shape=(1, 8, 8))), _images()


def residual():
    block = [Conv2dCfg(4, 4, kernel_size=3, padding=1, activation=torch.nn.ReLU)]
    layers = [
        Conv2dCfg(1, 4, kernel_size=3, padding=1, activation=torch.nn.ReLU),
        ResBlockCfg(sub_layers=block),
        GlobalAvgPoolCfg(),
        LinearCfg(4, 5, activation=None),
    ]
    return _Classified(DynamicNet(layers)), _images()


def controller():
    return ControllerTransformer(6, d_model=8, nhead=2, num_layers=1, max_len=10), (torch.randint(6, (2, 5)),)
