import argparse

import numpy as np
import torch
from torch import nn


class Standardizer:
    def __init__(self, x):
        self.mean, self.std = x.mean(axis=0), x.std(axis=0) + 1e-8

    def __call__(self, x):
        return (x - self.mean) / self.std


class Residual(nn.Module):
    def __init__(self, width, dropout):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.drop = nn.Dropout(dropout)

    def forward(self, x):
        return x + self.drop(self.down(torch.relu(self.up(self.norm(x)))))


def build(features, width=128, depth=3):
    return nn.Sequential(nn.Linear(features, width), *[Residual(width, 0.1) for _ in range(depth)], nn.Linear(width, 1))


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--x", default="data/features.npy")
    parser.add_argument("--y", default="data/target.npy")
    parser.add_argument("--epochs", type=int, default=20)
    args = parser.parse_args()
    x, y = np.load(args.x).astype(np.float32), np.load(args.y).astype(np.float32)
    order = np.random.default_rng(0).permutation(len(x))
    train, test = order[: int(0.8 * len(x))], order[int(0.8 * len(x)) :]
    scale = Standardizer(x[train])
    xt, yt = torch.from_numpy(scale(x[train])), torch.from_numpy(y[train])
    xv, yv = torch.from_numpy(scale(x[test])), torch.from_numpy(y[test])
    model = build(x.shape[1])
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-4, weight_decay=1e-2)
    for epoch in range(args.epochs):
        for rows in torch.randperm(len(xt)).split(256):
            loss = nn.functional.huber_loss(model(xt[rows]).squeeze(1), yt[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        with torch.no_grad():
            print(epoch, nn.functional.l1_loss(model(xv).squeeze(1), yv).item())
