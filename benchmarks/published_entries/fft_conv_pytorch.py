"""Entry points of fft-conv-pytorch: networks of its convolutions by Fourier transforms."""

import torch
from fft_conv_pytorch import FFTConv1d, FFTConv2d, FFTConv3d


class _Trained(torch.nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.layers = torch.nn.Sequential(*layers)

    def forward(self, signals, wanted):
        return torch.nn.functional.mse_loss(self.layers(signals), wanted)


def sounds():
    layers = FFTConv1d(1, 4, kernel_size=9, padding=4), torch.nn.ReLU(), FFTConv1d(4, 1, kernel_size=9, padding=4)
    return _Trained(*layers), (torch.randn(2, 1, 32), torch.randn(2, 1, 32))


def images():
    layers = (
        FFTConv2d(3, 4, kernel_size=5, padding=2, stride=2, padding_mode="reflect"),
        torch.nn.ReLU(),
        FFTConv2d(4, 4, kernel_size=3, groups=2, dilation=2, bias=False),
    )
    return _Trained(*layers), (torch.rand(2, 3, 16, 16), torch.rand(2, 4, 4, 4))


def volumes():
    layers = FFTConv3d(1, 2, kernel_size=3), torch.nn.ReLU(), FFTConv3d(2, 1, kernel_size=(3, 2, 3))
    return _Trained(*layers), (torch.rand(1, 1, 8, 8, 8), torch.rand(1, 1, 4, 5, 4))
