"""Entry points of gpnpytorchtools: its autoencoders with the losses of their training."""

import sys
from unittest.mock import MagicMock

import torch

WANTING = {"lightning_utilities", "lightning_utilities.core", "lightning_utilities.core.rank_zero"} - set(sys.modules)
for _name in WANTING:
    sys.modules[_name] = MagicMock()  # messages of several processes, which nothing here needs

from gpnpytorchtools.lossfunctions import SSVAERLoss, VAELoss  # noqa: E402
from gpnpytorchtools.models import SSVAER, VAE  # noqa: E402

for _name in WANTING:
    del sys.modules[_name]  # others look for what is installed


class _Autoencoder(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.model, self.loss = VAE(16, 3, 4), loss

    def forward(self, x):
        found, mean, log_variance, _ = self.model(x)
        return self.loss(x, found, mean, log_variance)[0]


class _Regression(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = SSVAER(16, 3, 2, 8, 2, 4)
        self.loss = SSVAERLoss()

    def forward(self, x, y):
        found, mean, log_variance, _, y_mean, y_log_variance, _, _, drawn, _, from_drawn = self.model(x)
        return self.loss(x, found, mean, log_variance, drawn, y_mean, y_log_variance, y, from_drawn)[0]


def autoencoder():
    return _Autoencoder(VAELoss()), (torch.randn(6, 16),)


def autoencoder_of_pixels():
    return _Autoencoder(VAELoss(torch.nn.BCEWithLogitsLoss(reduction="sum"))), (torch.rand(6, 16),)


def regression():
    return _Regression(), (torch.randn(6, 16), torch.randn(6, 1))
