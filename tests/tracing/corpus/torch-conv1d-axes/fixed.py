import argparse

import torch
import torch.nn as nn
import torch.nn.functional as F


class Encoder(nn.Module):
    def __init__(self, pooling):
        super().__init__()
        self.pooling = pooling
        self.conv = nn.Conv1d(40, 64, 3, padding=1)
        self.out = nn.Linear(64, 10)
        self.wide = nn.Linear(128, 10)

    def forward(self, x):
        h = F.relu(self.conv(x))
        if self.pooling == "mean":
            return self.out(h.mean(dim=2))
        elif self.pooling == "both":
            return self.wide(torch.cat([h.mean(dim=2), h.amax(dim=2)], dim=1))
        return self.out(h[:, :, -1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--pooling", type=str, default="mean", choices=["mean", "both", "last"])
    parser.add_argument("--loss", type=str, default="ce")
    args = parser.parse_args()
    model = Encoder(args.pooling)
    x = torch.randn(16, 40, 200)
    y = torch.randint(0, 10, (16,))
    logits = model(x)
    if args.loss == "ce":
        loss = F.cross_entropy(logits, y)
    else:
        loss = F.mse_loss(logits, F.one_hot(y, 10).float())
    loss.backward()


if __name__ == "__main__":
    main()
