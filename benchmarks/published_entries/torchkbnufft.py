"""Entry point of torchkbnufft: the magnitude of a non-uniform Fourier transform of what one layer makes."""

import torch
from torchkbnufft import KbInterp, calc_density_compensation_function


class Sampled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.net, self.interpolate = torch.nn.Conv2d(1, 2, 3, padding=1), KbInterp(im_size=(8, 8), grid_size=(16, 16))

    def forward(self, image, places):
        grid = torch.nn.functional.pad(self.net(image), (4, 4, 4, 4)).unsqueeze(1).permute(0, 1, 3, 4, 2)
        return self.interpolate(grid.contiguous(), places).pow(2).sum(-1).sqrt().mean()


class Density(torch.nn.Module):
    def forward(self, places):
        return calc_density_compensation_function(places, (8, 8), num_iterations=2)


def interpolated():
    return Sampled(), (torch.randn(1, 1, 8, 8), torch.rand(2, 20) * 6 - 3)


def density():
    return Density(), (torch.rand(2, 20) * 6 - 3,)
