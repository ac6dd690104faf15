"""Entry points of baytorch: its layers of uncertain weights, with the loss of error and complexity."""

import torch
from baytorch import DiagonalGaussianConv2d, DiagonalGaussianLinear, DiagonalGaussianModule, VFELoss


class _Network(DiagonalGaussianModule):
    def __init__(self, *layers):
        super().__init__()
        self.layers = torch.nn.Sequential(*layers)
        self.loss = VFELoss(torch.nn.functional.cross_entropy)

    def forward(self, rows, classes):
        return self.loss(self, self.layers(rows), classes)[0]


def rows():
    layers = DiagonalGaussianLinear(6, 12), torch.nn.ReLU(), DiagonalGaussianLinear(12, 3)
    return _Network(*layers), (torch.randn(4, 6), torch.tensor([0, 2, 1, 1]))


def rows_by_means():
    model, inputs = rows()
    model.mode = "mean"
    return model, inputs


def images():
    layers = DiagonalGaussianConv2d(3, 6, 3), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten()
    return _Network(*layers, DiagonalGaussianLinear(6, 3)), (torch.rand(2, 3, 8, 8), torch.tensor([0, 2]))
