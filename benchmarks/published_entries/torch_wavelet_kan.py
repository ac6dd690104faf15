"""Entry points of torch-wavelet-kan: its layers of wavelets that are learned, alone, in turn and behind pictures."""

import torch
from torch_wavelet_kan import WaveletKANLayer


class _Curve(torch.nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.layers = torch.nn.Sequential(*layers)

    def forward(self, places, values):
        return torch.nn.functional.mse_loss(self.layers(places), values)


def curve():
    places = torch.linspace(-1, 1, 9).unsqueeze(1)
    return _Curve(WaveletKANLayer(1, 8), WaveletKANLayer(8, 1)), (places, torch.sin(6 * places))


def surface():
    places = torch.rand(9, 2) * 2 - 1
    layers = WaveletKANLayer(2, 8, num_wavelets=3), torch.nn.LayerNorm(8), WaveletKANLayer(8, 1, num_wavelets=3)
    return _Curve(*layers), (places, (places[:, :1] * places[:, 1:]).exp())


class _Pictures(torch.nn.Module):
    def __init__(self):
        super().__init__()
        layers = torch.nn.Conv2d(1, 4, 3, stride=2), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.BatchNorm1d(36)
        self.layers = torch.nn.Sequential(*layers, WaveletKANLayer(36, 3))

    def forward(self, pictures, labels):
        return torch.nn.functional.cross_entropy(self.layers(pictures), labels)


def pictures():
    return _Pictures(), (torch.rand(4, 1, 8, 8), torch.tensor([0, 2, 1, 1]))
