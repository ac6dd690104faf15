"""Entry points of complexpytorch: layers of complex numbers, composed as in its README, and its covariance norms."""

import torch
from complexPyTorch.complexFunctions import complex_avg_pool2d, complex_normalize, complex_relu
from complexPyTorch.complexLayers import (
    ComplexBatchNorm1d,
    ComplexBatchNorm2d,
    ComplexConv2d,
    ComplexDropout,
    ComplexLinear,
    ComplexMaxPool2d,
    ComplexReLU,
)


class _Digits(torch.nn.Module):
    """The network of its example, with the absolute value at its end."""

    def __init__(self):
        super().__init__()
        self.conv1, self.bn, self.conv2 = ComplexConv2d(1, 3, 3, 1), ComplexBatchNorm2d(3), ComplexConv2d(3, 4, 3, 1)
        self.pool, self.fc1, self.fc2 = ComplexMaxPool2d(2, 2), ComplexLinear(16, 6), ComplexLinear(6, 3)

    def forward(self, images, labels):
        x = self.pool(complex_relu(self.conv1(images)))
        x = self.pool(complex_relu(self.conv2(self.bn(x))))
        x = self.fc2(complex_relu(self.fc1(x.reshape(-1, 16))))
        return torch.nn.functional.nll_loss(torch.log_softmax(x.abs(), dim=1), labels)


def digits():
    images = torch.rand(2, 1, 14, 14).type(torch.complex64)
    return _Digits(), (images, torch.tensor([0, 2]))


def rows():
    layers = [ComplexLinear(4, 6), ComplexBatchNorm1d(6), ComplexReLU(), ComplexDropout(0.2), ComplexLinear(6, 2)]
    return torch.nn.Sequential(*layers), (torch.randn(5, 4, dtype=torch.complex64),)


class _Waves(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.conv = ComplexConv2d(2, 3, 3, padding=1)

    def forward(self, waves, wanted):
        return (complex_normalize(complex_avg_pool2d(self.conv(waves), 2)) - wanted).abs().square().mean()


def waves():
    return _Waves(), (torch.randn(2, 2, 8, 8, dtype=torch.complex64), torch.randn(2, 3, 4, 4, dtype=torch.complex64))
