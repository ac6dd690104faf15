import math

import torch
import torch.nn.functional as F
from torch import nn
from torch.utils.data import DataLoader
from torchvision import datasets, transforms
from torchvision.utils import save_image

T = 300
betas = torch.linspace(1e-4, 0.02, T)
alphas = torch.cumprod(1 - betas, 0)


def timestep_embedding(t, dim):
    half = dim // 2
    rate = torch.exp(-math.log(10000) * torch.arange(half, device=t.device) / half)
    angle = t.float()[:, None] * rate[None]
    return torch.cat([angle.sin(), angle.cos()], dim=1)


class Block(nn.Module):
    def __init__(self, cin, cout, time):
        super().__init__()
        self.time = nn.Linear(time, cout)
        self.conv1, self.conv2 = nn.Conv2d(cin, cout, 3, padding=1), nn.Conv2d(cout, cout, 3, padding=1)
        self.norm1, self.norm2 = nn.GroupNorm(8, cout), nn.GroupNorm(8, cout)

    def forward(self, x, t):
        h = F.silu(self.norm1(self.conv1(x))) + self.time(t)[:, :, None, None]
        return F.silu(self.norm2(self.conv2(h)))


class UNet(nn.Module):
    def __init__(self, base=32, time=64):
        super().__init__()
        self.dim = time
        self.mlp = nn.Sequential(nn.Linear(time, time), nn.SiLU(), nn.Linear(time, time))
        self.down1, self.down2 = Block(1, base, time), Block(base, 2 * base, time)
        self.mid = Block(2 * base, 2 * base, time)
        self.up2, self.up1 = Block(4 * base, base, time), Block(2 * base, base, time)
        self.out = nn.Conv2d(base, 1, 1)

    def forward(self, x, t):
        t = self.mlp(timestep_embedding(t, self.dim))
        a = self.down1(x, t)
        b = self.down2(F.avg_pool2d(a, 2), t)
        h = F.interpolate(self.mid(F.avg_pool2d(b, 2), t), scale_factor=2)
        h = self.up2(torch.cat([h, b], 1), t)
        return self.out(self.up1(torch.cat([F.interpolate(h, scale_factor=2), a], 1), t))


@torch.no_grad()
def sample(model, n, device):
    x = torch.randn(n, 1, 28, 28, device=device)
    for i in reversed(range(T)):
        t = torch.full((n,), i, device=device)
        noise = model(x, t)
        x = (x - betas[i] / (1 - alphas[i]).sqrt() * noise) / (1 - betas[i]).sqrt()
        if i:
            x = x + betas[i].sqrt() * torch.randn_like(x)
    return x


def main():
    device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
    transform = transforms.Compose([transforms.ToTensor(), transforms.Lambda(lambda x: 2 * x - 1)])
    loader = DataLoader(datasets.MNIST("mnist", download=True, transform=transform), 128, shuffle=True, num_workers=8)
    model = UNet().to(device)
    optimizer = torch.optim.Adam(model.parameters(), 2e-4)
    for epoch in range(20):
        for x, _ in loader:
            x = x.to(device)
            t = torch.randint(0, T, (x.shape[0],), device=device)
            noise = torch.randn_like(x)
            a = alphas.to(device)[t][:, None, None, None]
            loss = F.mse_loss(model(a.sqrt() * x + (1 - a).sqrt() * noise, t), noise)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        save_image(sample(model, 16, device).clamp(-1, 1) * 0.5 + 0.5, f"sample_{epoch}.png", nrow=4)


if __name__ == "__main__":
    main()
