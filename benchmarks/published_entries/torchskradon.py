"""Entry points of torchskradon: Radon transforms of images and their inversion behind a network."""

import torch
from torchskradon.functional import skiradon, skradon


class _Measured(torch.nn.Module):
    """A denoiser trained on the measurements of its image."""

    def __init__(self, **options):
        super().__init__()
        self.layer, self.options = torch.nn.Conv2d(1, 1, 3, padding=1), options

    def forward(self, images, sinograms):
        given = skradon(self.layer(images), torch.linspace(0, 135, 4), **self.options)
        return torch.nn.functional.mse_loss(given, sinograms)


def measured():
    return _Measured(circle=False, preserve_range=True), (torch.rand(1, 1, 8, 8), torch.rand(1, 1, 12, 4))


class _Reconstructed(torch.nn.Module):
    """An image from measurements that a network mends."""

    def __init__(self, **options):
        super().__init__()
        self.layer, self.options = torch.nn.Conv2d(1, 1, 3, padding=1), options

    def forward(self, sinograms, images):
        mended = sinograms + self.layer(sinograms)
        return torch.nn.functional.mse_loss(skiradon(mended, torch.linspace(0, 135, 4), **self.options), images)


def reconstructed():
    return _Reconstructed(), (torch.rand(1, 1, 8, 4), torch.rand(1, 1, 8, 8))


def reconstructed_with_window():
    return _Reconstructed(filter_name="hann"), (torch.rand(1, 1, 8, 4), torch.rand(1, 1, 8, 8))
