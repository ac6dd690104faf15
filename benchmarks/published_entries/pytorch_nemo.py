"""Entry points of pytorch-nemo: layers whose weights and activations are quantized while they train, with a loss."""

import torch
from nemo.precision import Precision
from nemo.quant.pact import PACT_Act, PACT_Conv2d, PACT_Linear


class _Quantized(torch.nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.model = torch.nn.Sequential(*layers)
        for layer in self.model:
            if hasattr(layer, "reset_alpha_weights"):
                layer.reset_alpha_weights()

    def forward(self, features, labels):
        return torch.nn.functional.cross_entropy(self.model(features), labels)


def _act(**options):
    return PACT_Act(precision=Precision(bits=8), alpha=4.0, **options)


def perceptron():
    layers = PACT_Linear(6, 8, W_precision=Precision(bits=6)), _act(), PACT_Linear(8, 3, W_precision=Precision(bits=6))
    return _Quantized(*layers), (torch.randn(4, 6), torch.tensor([0, 2, 1, 1]))


def convolutions():
    layers = PACT_Conv2d(3, 4, 3, W_precision=Precision(bits=4), bias=False), torch.nn.BatchNorm2d(4), _act()
    head = torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(4, 3)
    return _Quantized(*layers, *head), (torch.rand(4, 3, 8, 8), torch.tensor([0, 2, 1, 1]))


def activation():
    return _act(), (torch.randn(4, 6),)
