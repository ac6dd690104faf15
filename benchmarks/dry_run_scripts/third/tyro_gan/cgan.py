from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import torch
import tyro
from torch import Tensor, nn
from torch.utils.data import DataLoader, TensorDataset


@dataclass(frozen=True)
class Config:
    batch_size: int = 64
    noise: int = 32
    classes: int = 10
    steps_per_generator: int = 1
    epochs: int = 2
    loss: Literal["bce", "lsgan"] = "bce"
    out: Path = Path("runs/cgan")


class Generator(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.embed = nn.Embedding(cfg.classes, cfg.classes)
        self.net = nn.Sequential(
            nn.Linear(cfg.noise + cfg.classes, 128), nn.LeakyReLU(0.2), nn.Linear(128, 256), nn.BatchNorm1d(256),
            nn.LeakyReLU(0.2), nn.Linear(256, 16 * 16), nn.Tanh(),
        )

    def forward(self, z: Tensor, labels: Tensor) -> Tensor:
        return self.net(torch.cat([z, self.embed(labels)], dim=1)).view(-1, 1, 16, 16)


class Discriminator(nn.Module):
    def __init__(self, cfg: Config):
        super().__init__()
        self.embed = nn.Embedding(cfg.classes, 16 * 16)
        self.net = nn.Sequential(
            nn.Conv2d(2, 32, 4, 2, 1), nn.LeakyReLU(0.2), nn.Conv2d(32, 64, 4, 2, 1), nn.LeakyReLU(0.2), nn.Flatten(),
            nn.Linear(64 * 4 * 4, 1),
        )

    def forward(self, image: Tensor, labels: Tensor) -> Tensor:
        plane = self.embed(labels).view(-1, 1, 16, 16)
        return self.net(torch.cat([image, plane], dim=1))


def blobs(n: int, classes: int) -> TensorDataset:
    labels = torch.arange(n) % classes
    grid = torch.stack(torch.meshgrid(torch.linspace(-1, 1, 16), torch.linspace(-1, 1, 16), indexing="ij"))
    centre = torch.stack([torch.sin(labels * 0.6), torch.cos(labels * 0.6)], 1)[:, :, None, None] * 0.6
    image = torch.exp(-8 * (grid - centre).square().sum(1, keepdim=True)) * 2 - 1
    return TensorDataset(image, labels)


def main(cfg: Config) -> None:
    torch.manual_seed(0)
    data = DataLoader(blobs(1000, cfg.classes), batch_size=cfg.batch_size, shuffle=True)
    gen, disc = Generator(cfg), Discriminator(cfg)
    gen_opt = torch.optim.Adam(gen.parameters(), 2e-4, betas=(0.5, 0.999))
    disc_opt = torch.optim.Adam(disc.parameters(), 2e-4, betas=(0.5, 0.999))
    criterion = nn.BCEWithLogitsLoss() if cfg.loss == "bce" else nn.MSELoss()
    for epoch in range(cfg.epochs):
        for i, (real, labels) in enumerate(data):
            n = real.shape[0]
            ones, zeros = torch.ones(n, 1), torch.zeros(n, 1)
            fake_labels = torch.randint(cfg.classes, (n,))
            fake = gen(torch.randn(n, cfg.noise), fake_labels)
            disc_loss = criterion(disc(real, labels), ones) + criterion(disc(fake.detach(), fake_labels), zeros)
            disc_opt.zero_grad()
            disc_loss.backward()
            disc_opt.step()
            if i % cfg.steps_per_generator == 0:
                gen_loss = criterion(disc(fake, fake_labels), ones)
                gen_opt.zero_grad()
                gen_loss.backward()
                gen_opt.step()
        print(f"{epoch}: D {disc_loss.item():.3f} G {gen_loss.item():.3f}")
    cfg.out.mkdir(parents=True, exist_ok=True)
    torch.save(gen.state_dict(), cfg.out / "generator.pt")


if __name__ == "__main__":
    main(tyro.cli(Config))
