"""Entry points of torch-fftconv: its convolutions by spectra, of sounds, pictures and volumes, with losses."""

import torch
from torch_fftconv.modules import FFTConv1d, FFTConv2d, FFTConv3d, FFTConvTranspose1d, FFTConvTranspose2d


class _Classified(torch.nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.layers = torch.nn.Sequential(*layers)

    def forward(self, samples, labels):
        return torch.nn.functional.cross_entropy(self.layers(samples), labels)


class _Restored(_Classified):
    def forward(self, samples, clean):
        return torch.nn.functional.l1_loss(self.layers(samples), clean)


def sounds():
    wave = torch.sin(torch.linspace(0, 40, 64) + torch.rand(2, 1, 1) * 6)
    layers = FFTConv1d(1, 4, 31, padding=15), torch.nn.Tanh(), FFTConv1d(4, 1, 31, padding=15)
    return _Restored(*layers), (wave + 0.1 * torch.randn(2, 1, 64), wave)


def compressed_sounds():
    wave = torch.sin(torch.linspace(0, 40, 64) + torch.rand(2, 1, 1) * 6)
    layers = FFTConv1d(1, 4, 8, stride=4, padding=2), torch.nn.ReLU(), FFTConvTranspose1d(4, 1, 8, stride=4, padding=2)
    return _Restored(*layers), (wave, wave)


def pictures():
    layers = FFTConv2d(3, 4, 7, padding=3), torch.nn.BatchNorm2d(4), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(1)
    return _Classified(*layers, torch.nn.Flatten(), torch.nn.Linear(4, 3)), (
        torch.rand(2, 3, 16, 16),
        torch.tensor([2, 0]),
    )


def pictures_of_a_torus():
    layers = FFTConv2d(3, 4, 5, padding=2, padding_mode="circular"), torch.nn.ReLU(), torch.nn.Flatten()
    return _Classified(*layers, torch.nn.Linear(4 * 64, 3)), (torch.rand(2, 3, 8, 8), torch.tensor([2, 0]))


def restored_pictures():
    clean = torch.rand(2, 1, 8, 8)
    layers = FFTConv2d(1, 4, 4, stride=2, padding=1), torch.nn.ReLU(), FFTConvTranspose2d(4, 1, 4, stride=2, padding=1)
    return _Restored(*layers), (clean + 0.1 * torch.randn(2, 1, 8, 8), clean)


def volumes():
    layers = FFTConv3d(1, 4, 3, padding=1, groups=1), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool3d(1)
    return _Classified(*layers, torch.nn.Flatten(), torch.nn.Linear(4, 3)), (
        torch.rand(2, 1, 6, 6, 6),
        torch.tensor([2, 0]),
    )
