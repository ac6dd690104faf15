"""A normalizing flow of affine coupling layers on tabular data."""

import math

import torch
import torch.nn as nn


class Coupling(nn.Module):
    def __init__(self, dim, hidden, flip):
        super().__init__()
        self.flip = flip
        self.kept = dim // 2
        self.changed = dim - self.kept
        inside, outside = (self.kept, self.changed) if flip else (self.kept, self.changed)
        self.net = nn.Sequential(
            nn.Linear(inside, hidden), nn.ReLU(), nn.Linear(hidden, hidden), nn.ReLU(), nn.Linear(hidden, 2 * outside)
        )

    def forward(self, x):
        a, b = x[:, : self.kept], x[:, self.kept :]
        if self.flip:
            a, b = b, a
        log_scale, shift = self.net(a).chunk(2, dim=1)  # <- expected
        log_scale = torch.tanh(log_scale)
        b = b * log_scale.exp() + shift
        y = torch.cat([b, a] if self.flip else [a, b], dim=1)
        return y, log_scale.sum(dim=1)


class Flow(nn.Module):
    def __init__(self, dim, layers=4, hidden=32):
        super().__init__()
        self.dim = dim
        self.layers = nn.ModuleList(Coupling(dim, hidden, flip=bool(i % 2)) for i in range(layers))

    def log_prob(self, x):
        total = x.new_zeros(x.shape[0])
        for layer in self.layers:
            x, change = layer(x)
            total = total + change
        return total - 0.5 * (x.square().sum(dim=1) + self.dim * math.log(2 * math.pi))


if __name__ == "__main__":
    data = torch.randn(500, 7)
    flow = Flow(7)
    optimizer = torch.optim.Adam(flow.parameters(), lr=1e-3)
    for start in range(0, 500, 100):
        loss = -flow.log_prob(data[start : start + 100]).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
