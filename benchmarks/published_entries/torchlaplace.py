"""Entry points of torchlaplace: series that it rebuilds from what a network gives in the Laplace domain."""

import torch
from torchlaplace import laplace_reconstruct


class _Representation(torch.nn.Module):
    """As its examples have it: angles on the sphere of Riemann from a network of three layers."""

    def __init__(self, terms, outputs, latent=2):
        super().__init__()
        self.terms, self.outputs = terms, outputs
        self.layers = torch.nn.Sequential(
            torch.nn.Linear(2 * terms + latent, 16),
            torch.nn.Tanh(),
            torch.nn.Linear(16, 16),
            torch.nn.Tanh(),
            torch.nn.Linear(16, 2 * terms * outputs),
        )
        self.phi_scale = torch.pi / 2 + torch.pi / 2

    def forward(self, inputs):
        given = self.layers(inputs.view(-1, inputs.shape[-1])).view(inputs.shape[0], -1, 2 * self.outputs, self.terms)
        theta = torch.nn.Tanh()(given[:, :, : self.outputs, :]) * torch.pi
        phi = torch.nn.Tanh()(given[:, :, self.outputs :, :]) * self.phi_scale / 2.0
        return theta, phi


class _Forecast(torch.nn.Module):
    def __init__(self, algorithm, terms):
        super().__init__()
        self.encoder = torch.nn.Linear(6, 2)
        self.representation, self.algorithm, self.terms = _Representation(terms, 1), algorithm, terms

    def forward(self, observed, times, wanted):
        latent = self.encoder(observed)
        options = {"ilt_algorithm": self.algorithm, "ilt_reconstruction_terms": self.terms}
        given = laplace_reconstruct(self.representation, latent, times, recon_dim=1, **options)
        return torch.nn.functional.mse_loss(given, wanted)


def _series():
    return torch.randn(3, 6), torch.linspace(0.5, 4.0, 5), torch.randn(3, 5, 1)


def fourier():
    return _Forecast("fourier", 5), _series()


def euler():
    return _Forecast("euler", 5), _series()


def de_hoog():
    return _Forecast("dehoog", 5), _series()
