"""Entry points of torch-staintools: stains of histological images normalised to those of a target."""

import torch
from torch_staintools.constants import CONFIG

CONFIG.ENABLE_COMPILE = False
from torch_staintools.functional.conversion.lab import lab_to_rgb, rgb_to_lab  # noqa: E402
from torch_staintools.functional.conversion.od import od2rgb, rgb2od  # noqa: E402
from torch_staintools.normalizer import NormalizerBuilder  # noqa: E402


def _tissue():
    """Images of two stains whose concentrations vary."""
    stains = torch.tensor([[0.65, 0.70, 0.29], [0.07, 0.99, 0.11]])
    density = torch.einsum("bkhw,kc->bchw", 0.1 + torch.rand(1, 2, 12, 12), stains)
    return torch.exp(-density)


def reinhard():
    normalizer = NormalizerBuilder.build("reinhard")
    normalizer.fit(_tissue())
    return normalizer, (_tissue(),)


def macenko():
    normalizer = NormalizerBuilder.build("macenko", concentration_solver="qr")
    normalizer.fit(_tissue())
    return normalizer, (_tissue(),)


class _Density(torch.nn.Module):
    """A network of optical densities, its images compared in colours and in density."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Conv2d(3, 3, 1)

    def forward(self, images, wanted):
        density = torch.nn.functional.softplus(self.layer(rgb2od(images)))
        return (od2rgb(density) - wanted).abs().mean() + (density - rgb2od(wanted)).square().mean()


def density():
    return _Density(), (_tissue(), _tissue())


class _Lightness(torch.nn.Module):
    """Images whose lightness a network mends."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Conv2d(1, 1, 3, padding=1)

    def forward(self, images, wanted):
        lightness, colours = rgb_to_lab(images).split([1, 2], dim=1)
        given = lab_to_rgb(torch.cat((lightness + self.layer(lightness / 100), colours), dim=1))
        return torch.nn.functional.mse_loss(given, wanted)


def lightness():
    return _Lightness(), (_tissue(), _tissue())
