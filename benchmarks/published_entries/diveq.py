"""Entry points of diveq: small autoencoders whose codes its quantisers choose, with the loss of rebuilding alone."""

import torch
from diveq import DIVEQ, SFDIVEQ, DIVEQDetach, ProductDIVEQ, ResidualDIVEQ


class _Autoencoder(torch.nn.Module):
    """Each place of a picture becomes one vector to quantise."""

    def __init__(self, quantiser):
        super().__init__()
        self.encoder = torch.nn.Conv2d(3, 8, 4, stride=4)
        self.quantiser, self.decoder = quantiser, torch.nn.ConvTranspose2d(8, 3, 4, stride=4)

    def forward(self, images):
        encoded = self.encoder(images).permute(0, 2, 3, 1)
        quantised = self.quantiser(encoded.flatten(0, 2))[0].view_as(encoded)
        return torch.nn.functional.mse_loss(self.decoder(quantised.permute(0, 3, 1, 2)), images)


def _images():
    return torch.rand(2, 3, 16, 16)


def one_codebook():
    return _Autoencoder(DIVEQ(16, 8)), _images()


def detached():
    return _Autoencoder(DIVEQDetach(16, 8)), _images()


def curve():
    """After the steps in which it only collects vectors for its first codes."""
    quantiser = SFDIVEQ(16, 8)
    quantiser.iter_counter.fill_(2000)
    return _Autoencoder(quantiser), _images()


def residual():
    return _Autoencoder(ResidualDIVEQ(8, 8, 3)), _images()


def product():
    return _Autoencoder(ProductDIVEQ(8, 8, 2)), _images()
