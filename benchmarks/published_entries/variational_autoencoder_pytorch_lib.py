"""Entry points of variational-autoencoder-pytorch-lib: its autoencoder of pictures with the loss of its training."""

import torch
from variational_autoencoder_pytorch_lib.module import Decoder, VariationalAutoEncoder

SIZES = {"dim": 8, "dim_mults": (1, 2), "dim_latent": 4, "image_size": 16}


class _Trained(torch.nn.Module):
    """Pictures from -1 to 1, as its decoder ends with a hyperbolic tangent."""

    def __init__(self, loss, weight, **options):
        super().__init__()
        self.model, self.loss, self.weight = VariationalAutoEncoder(**SIZES, **options), loss, weight

    def forward(self, images):
        rebuilt, mean, logvar = self.model(images)
        divergence = -0.5 * torch.sum(1 + logvar - mean.pow(2) - logvar.exp(), dim=(1, 2, 3))
        return self.loss(rebuilt, images) + self.weight * divergence.mean()


def trained():
    return _Trained(torch.nn.MSELoss(), 1e-3, dropout=0.1), 2 * torch.rand(2, 3, 16, 16) - 1


def grey():
    return _Trained(torch.nn.L1Loss(), 1e-4, image_channels=1), 2 * torch.rand(2, 1, 16, 16) - 1


def sampled():
    return Decoder(**SIZES), torch.randn(2, 4, 4, 4)
