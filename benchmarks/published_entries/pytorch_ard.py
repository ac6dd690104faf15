"""Entry points of pytorch-ard: layers that learn which weights they need, with its bound as their loss."""

import torch
from torch_ard import Conv2dARD, ELBOLoss, LinearARD


class _Bounded(torch.nn.Module):
    def __init__(self, loss, *layers):
        super().__init__()
        self.model = torch.nn.Sequential(*layers)
        self.loss = ELBOLoss(self.model, loss)

    def forward(self, features, wanted):
        return self.loss(self.model(features), wanted, 1.0, 0.01)


def regression():
    layers = LinearARD(6, 8), torch.nn.ReLU(), LinearARD(8, 1)
    return _Bounded(torch.nn.functional.mse_loss, *layers), (torch.randn(5, 6), torch.randn(5, 1))


def classes():
    layers = LinearARD(6, 8, ard_init=-4), torch.nn.ReLU(), LinearARD(8, 3, thresh=2)
    wanted = torch.tensor([0, 2, 1, 1, 0])
    return _Bounded(torch.nn.functional.cross_entropy, *layers), (torch.randn(5, 6), wanted)


def images():
    layers = Conv2dARD(3, 4, 3), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), LinearARD(4, 3)
    return _Bounded(torch.nn.functional.cross_entropy, *layers), (torch.rand(2, 3, 8, 8), torch.tensor([0, 2]))
