"""Lifting 2D joints to 3D."""

import torch
import torch.nn as nn
from scipy.io import loadmat

JOINTS = 16


class Lifter(nn.Module):
    def __init__(self, width=256):
        super().__init__()
        self.start = nn.Linear(2 * JOINTS, width)
        self.middle = nn.Sequential(
            nn.Linear(width, width), nn.BatchNorm1d(width), nn.ReLU(), nn.Dropout(0.5),
            nn.Linear(width, width), nn.BatchNorm1d(width), nn.ReLU(), nn.Dropout(0.5),
        )
        self.end = nn.Linear(width, 3 * JOINTS)

    def forward(self, x):
        h = self.start(x.flatten(1))
        return self.end(h + self.middle(h)).view(-1, JOINTS, 3)


def mpjpe(predicted, real):
    return (predicted - real).norm(dim=-1).mean()


def main():
    mat = loadmat("h36m.mat")
    flat = torch.tensor(mat["joints_2d"], dtype=torch.float32).reshape(-1, JOINTS, 2)
    deep = torch.tensor(mat["joints_3d"], dtype=torch.float32).reshape(-1, JOINTS, 3)
    deep = deep - deep[:, :1]
    model = Lifter()
    optimizer = torch.optim.Adam(model.parameters(), 1e-3)
    for epoch in range(10):
        for rows in torch.randperm(len(flat)).split(64):
            loss = mpjpe(model(flat[rows]), deep[rows])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        print(epoch, f"{1000 * loss.item():.1f} mm")


if __name__ == "__main__":
    main()
