"""Entry points of torchplasma: adjustments of pictures whose amounts a layer gives, trained on the wanted pictures."""

import sys
from unittest.mock import MagicMock

import torch

for _name in ("torchvision", "torchvision.transforms", "imageio"):
    sys.modules[_name] = MagicMock()  # files of pictures, which nothing here needs

from torchplasma import conversion, curves, linear  # noqa: E402
from torchplasma.filters import guided_filter  # noqa: E402


class _Adjusting(torch.nn.Module):
    """Pictures in [-1, 1], adjusted by `outputs` amounts in [-1, 1] each."""

    def __init__(self, adjust, outputs=1):
        super().__init__()
        self.layer, self.adjust = torch.nn.Linear(3, outputs), adjust

    def forward(self, pictures, wanted):
        amounts = torch.tanh(self.layer(pictures.mean((2, 3))))
        return torch.nn.functional.mse_loss(self.adjust(pictures, amounts), wanted)


def _pictures():
    return 2 * torch.rand(2, 3, 16, 16) - 1, 2 * torch.rand(2, 3, 16, 16) - 1


def temperature():
    return _Adjusting(linear.chromatic_adaptation, 2), _pictures()


def shadows():
    def brighter(pictures, amounts):
        return linear.highlights(linear.exposure(pictures, amounts[:, :1]), amounts[:, 1:])

    return _Adjusting(brighter, 2), _pictures()


def clarity():
    return _Adjusting(linear.clarity), _pictures()


def tones():
    return _Adjusting(curves.tonal_exposure), _pictures()


def colours():
    basis = torch.tensor([[1.0, 0, 0], [0, 1, 0], [0, 0, 1]])
    return _Adjusting(lambda p, w: linear.selective_color(p, basis, w.view(-1, 3, 3)), 9), _pictures()


class _Lab(torch.nn.Module):
    """A convolution that gives pictures, compared in the colours of Lab."""

    def __init__(self):
        super().__init__()
        self.convolution = torch.nn.Conv2d(3, 3, 3, padding=1)

    def forward(self, pictures, wanted):
        given, wanted = (
            conversion.xyz_to_lab(conversion.rgb_to_xyz(conversion.srgb_to_linear(image)))
            for image in (torch.tanh(self.convolution(pictures)), wanted)
        )
        return (given - wanted).abs().mean()


def lab():
    return _Lab(), _pictures()


class _Guided(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.convolution = torch.nn.Conv2d(3, 1, 3, padding=1)

    def forward(self, pictures, guide, wanted):
        return torch.nn.functional.mse_loss(guided_filter(self.convolution(pictures), guide, 3, 0.01), wanted)


def guided():
    return _Guided(), (torch.rand(2, 3, 16, 16), torch.rand(2, 1, 16, 16), torch.rand(2, 1, 16, 16))
