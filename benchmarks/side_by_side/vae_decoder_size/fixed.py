"""A convolutional VAE on grey images of 28 by 28."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, TensorDataset


class ConvVAE(nn.Module):
    def __init__(self, latent=16):
        super().__init__()
        self.encoder = nn.Sequential(
            nn.Conv2d(1, 32, 4, stride=2, padding=1), nn.ReLU(),
            nn.Conv2d(32, 64, 4, stride=2, padding=1), nn.ReLU(), nn.Flatten(),
        )
        self.to_mean = nn.Linear(64 * 7 * 7, latent)
        self.to_log_var = nn.Linear(64 * 7 * 7, latent)
        self.from_latent = nn.Linear(latent, 64 * 7 * 7)
        self.decoder = nn.Sequential(
            nn.Unflatten(1, (64, 7, 7)),
            nn.ConvTranspose2d(64, 32, 4, stride=2, padding=1), nn.ReLU(),
            nn.ConvTranspose2d(32, 1, 4, stride=2, padding=1), nn.Sigmoid(),
        )

    def encode(self, x):
        h = self.encoder(x)
        return self.to_mean(h), self.to_log_var(h)

    def reparameterize(self, mean, log_var):
        return mean + torch.randn_like(mean) * torch.exp(0.5 * log_var)

    def forward(self, x):
        mean, log_var = self.encode(x)
        z = self.reparameterize(mean, log_var)
        return self.decoder(self.from_latent(z)), mean, log_var


def loss_function(decoded, x, mean, log_var):
    reconstruction = F.binary_cross_entropy(decoded, x, reduction="sum")
    divergence = -0.5 * torch.sum(1 + log_var - mean.pow(2) - log_var.exp())
    return (reconstruction + divergence) / x.size(0)


images = torch.rand(200, 1, 28, 28)
loader = DataLoader(TensorDataset(images), batch_size=64, shuffle=True)
model = ConvVAE()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
for epoch in range(2):
    for (x,) in loader:
        decoded, mean, log_var = model(x)
        loss = loss_function(decoded, x, mean, log_var)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
