"""A variational autoencoder for 28 × 28 digits and its training loss."""

import torch
import torch.nn.functional as F
from torch import nn


class VAE(nn.Module):
    def __init__(self, pixels=784, hidden=64, latent=8):
        super().__init__()
        self.encoder = nn.Sequential(nn.Linear(pixels, hidden), nn.Tanh())
        self.mean = nn.Linear(hidden, latent)
        self.log_variance = nn.Linear(hidden, latent)
        self.decoder = nn.Sequential(nn.Linear(latent, hidden), nn.Tanh(), nn.Linear(hidden, pixels))

    def forward(self, x, noise):
        h = self.encoder(x)
        mean = self.mean(h)
        log_variance = self.log_variance(h).clamp(-10, 10)
        z = mean + noise * torch.exp(0.5 * log_variance)
        return self.decoder(z), mean, log_variance


class NegativeELBO(nn.Module):
    """What training minimises: reconstruction error plus divergence from the prior, per image."""

    def __init__(self):
        super().__init__()
        self.vae = VAE()

    def forward(self, x, noise):
        logits, mean, log_variance = self.vae(x, noise)
        reconstruction = F.binary_cross_entropy_with_logits(logits, x, reduction="none").sum(1)
        divergence = -0.5 * (1 + log_variance - mean.square() - log_variance.exp()).sum(1)
        return (reconstruction + divergence).mean()


def build():
    torch.manual_seed(0)
    return NegativeELBO(), (torch.rand(4, 784), torch.randn(4, 8))
