"""Denoising diffusion on small images."""

import math

import torch
import torch.nn as nn
import torch.nn.functional as F


class TimeEmbedding(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim
        self.net = nn.Sequential(nn.Linear(dim, dim * 4), nn.SiLU(), nn.Linear(dim * 4, dim * 4))

    def forward(self, t):
        half = self.dim // 2
        frequencies = torch.exp(-math.log(10000) * torch.arange(half) / (half - 1))
        angles = t[:, None].float() * frequencies[None]
        return self.net(torch.cat([angles.sin(), angles.cos()], dim=-1))


class ResBlock(nn.Module):
    def __init__(self, inside, outside, time_dim):
        super().__init__()
        self.norm1, self.conv1 = nn.GroupNorm(8, inside), nn.Conv2d(inside, outside, 3, padding=1)
        self.time = nn.Linear(time_dim, outside)
        self.norm2, self.conv2 = nn.GroupNorm(8, outside), nn.Conv2d(outside, outside, 3, padding=1)
        self.shortcut = nn.Conv2d(inside, outside, 1) if inside != outside else nn.Identity()

    def forward(self, x, time):
        h = self.conv1(F.silu(self.norm1(x)))
        h = h + self.time(F.silu(time))  # <- expected
        h = self.conv2(F.silu(self.norm2(h)))
        return h + self.shortcut(x)


class Denoiser(nn.Module):
    def __init__(self, base=32):
        super().__init__()
        self.time = TimeEmbedding(base)
        self.stem = nn.Conv2d(3, base, 3, padding=1)
        self.down1, self.down2 = ResBlock(base, base, base * 4), ResBlock(base, base * 2, base * 4)
        self.middle = ResBlock(base * 2, base * 2, base * 4)
        self.up2, self.up1 = ResBlock(base * 4, base, base * 4), ResBlock(base * 2, base, base * 4)
        self.out = nn.Conv2d(base, 3, 3, padding=1)

    def forward(self, x, t):
        time = self.time(t)
        h1 = self.down1(self.stem(x), time)
        h2 = self.down2(F.avg_pool2d(h1, 2), time)
        h = self.middle(F.avg_pool2d(h2, 2), time)
        h = self.up2(torch.cat([F.interpolate(h, scale_factor=2), h2], dim=1), time)
        h = self.up1(torch.cat([F.interpolate(h, scale_factor=2), h1], dim=1), time)
        return self.out(h)


class Diffusion:
    def __init__(self, steps=200):
        self.steps = steps
        betas = torch.linspace(1e-4, 0.02, steps)
        self.products = torch.cumprod(1 - betas, dim=0)

    def noised(self, x, t):
        noise = torch.randn_like(x)
        a = self.products[t].view(-1, 1, 1, 1)
        return a.sqrt() * x + (1 - a).sqrt() * noise, noise


def main():
    diffusion, model = Diffusion(), Denoiser()
    optimizer = torch.optim.Adam(model.parameters(), lr=2e-4)
    for _ in range(2):
        images = torch.rand(6, 3, 24, 24) * 2 - 1
        t = torch.randint(0, diffusion.steps, (images.shape[0],))
        noisy, noise = diffusion.noised(images, t)
        loss = F.mse_loss(model(noisy, t), noise)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
