import os

import fire
import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader
from torchvision import datasets, transforms
from torchvision.utils import save_image


class ConvVAE(nn.Module):
    def __init__(self, latent=20):
        super().__init__()
        self.latent = latent
        self.encoder = nn.Sequential(
            nn.Conv2d(1, 32, 4, 2, 1), nn.LeakyReLU(0.2), nn.Conv2d(32, 64, 4, 2, 1), nn.LeakyReLU(0.2), nn.Flatten(),
            nn.Linear(64 * 7 * 7, 2 * latent),
        )
        self.decoder = nn.Sequential(
            nn.Linear(latent, 64 * 7 * 7), nn.ReLU(), nn.Unflatten(1, (64, 7, 7)),
            nn.ConvTranspose2d(64, 32, 4, 2, 1), nn.ReLU(), nn.ConvTranspose2d(32, 1, 4, 2, 1), nn.Sigmoid(),
        )

    def forward(self, x):
        mu, logvar = self.encoder(x).chunk(2, dim=1)
        z = mu + torch.randn_like(mu) * torch.exp(0.5 * logvar)
        return self.decoder(z), mu, logvar


def elbo(recon, x, mu, logvar, beta):
    bce = F.binary_cross_entropy(recon, x, reduction="sum")
    kld = -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())
    return (bce + beta * kld) / x.size(0)


class Experiment:
    """Train a VAE on MNIST, or sample from one."""

    def __init__(self, data="./mnist", out="samples", latent=20, device=None):
        self.data, self.out = data, out
        self.device = device or ("cuda" if torch.cuda.is_available() else "cpu")
        self.model = ConvVAE(latent).to(self.device)

    def train(self, epochs=1, batch_size=100, lr=1e-3, beta=1.0):
        os.makedirs(self.out, exist_ok=True)
        loader = DataLoader(
            datasets.MNIST(self.data, train=True, download=True, transform=transforms.ToTensor()),
            batch_size=batch_size, shuffle=True,
        )
        optimizer = torch.optim.Adam(self.model.parameters(), lr=lr)
        for epoch in range(epochs):
            for x, _ in loader:
                x = x.to(self.device)
                recon, mu, logvar = self.model(x)
                loss = elbo(recon, x, mu, logvar, beta)
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            rows = torch.cat([x[:8], recon[:8]])
            save_image(rows.cpu(), f"{self.out}/recon_{epoch}.png", nrow=8)
            print("epoch", epoch, "elbo", loss.item())
            self.sample(16, f"{self.out}/sample_{epoch}.png")

    @torch.no_grad()
    def sample(self, n=64, path="sample.png"):
        z = torch.randn(n, self.model.latent, device=self.device)
        save_image(self.model.decoder(z).view(n, 1, 28, 28), path)


def main(**kwargs):
    epochs = kwargs.pop("epochs", 1)
    Experiment(**kwargs).train(epochs=epochs)


if __name__ == "__main__":
    fire.Fire(main)
