"""Entry points of convolutional-autoencoder-pytorch: its autoencoder of images, trained on their error, and halves."""

import torch
from convolutional_autoencoder_pytorch import AutoEncoder
from convolutional_autoencoder_pytorch.module import Decoder, Encoder


class _Trained(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.model = AutoEncoder(dim=4, dim_mults=(1, 2), dim_latent=6, **options)

    def forward(self, images):
        return torch.nn.functional.mse_loss(self.model(images)[0], images)


def reconstruction():
    return _Trained(), (2 * torch.rand(2, 3, 16, 16) - 1,)


def grey_with_dropout():
    return _Trained(image_channels=1, dropout=0.1), (2 * torch.rand(2, 1, 16, 16) - 1,)


def encoder():
    return Encoder(dim=4, dim_mults=(1, 2), dim_latent=6), (2 * torch.rand(2, 3, 16, 16) - 1,)


def decoder():
    return Decoder(dim=4, dim_mults=(1, 2), dim_latent=6), (torch.randn(2, 6, 4, 4),)
