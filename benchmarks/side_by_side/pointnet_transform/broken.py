"""PointNet with an input transform."""

import torch
import torch.nn as nn
import torch.nn.functional as F
from jaxtyping import Float
from torch import Tensor


class TNet(nn.Module):
    def __init__(self, k: int):
        super().__init__()
        self.k = k
        self.convs = nn.Sequential(
            nn.Conv1d(k, 32, 1), nn.BatchNorm1d(32), nn.ReLU(), nn.Conv1d(32, 128, 1), nn.BatchNorm1d(128), nn.ReLU()
        )
        self.fc = nn.Sequential(nn.Linear(128, 64), nn.ReLU(), nn.Linear(64, k * k))

    def forward(self, x: Float[Tensor, "b k n"]) -> Float[Tensor, "b k k"]:
        pooled = self.convs(x).amax(dim=2)
        identity = torch.eye(self.k).expand(x.size(0), -1, -1)
        return self.fc(pooled).view(-1, self.k, self.k) + identity


class PointNet(nn.Module):
    def __init__(self, classes: int = 12):
        super().__init__()
        self.input_transform, self.feature_transform = TNet(3), TNet(32)
        self.first = nn.Sequential(nn.Conv1d(3, 32, 1), nn.BatchNorm1d(32), nn.ReLU())
        self.second = nn.Sequential(nn.Conv1d(32, 128, 1), nn.BatchNorm1d(128), nn.ReLU())
        self.head = nn.Linear(128 + 32, classes)

    def forward(self, points: Float[Tensor, "b n 3"]) -> Float[Tensor, "b classes n"]:
        points = torch.bmm(points, self.input_transform(points.transpose(1, 2)))
        x = self.first(points.transpose(1, 2))
        x = torch.bmm(x, self.feature_transform(x)).transpose(1, 2)  # <- expected
        total = self.second(x).amax(dim=2, keepdim=True).expand(-1, -1, x.size(2))
        return self.head(torch.cat([total, x], dim=1).transpose(1, 2)).transpose(1, 2)


def regularizer(matrix: Float[Tensor, "b k k"]) -> Float[Tensor, ""]:
    identity = torch.eye(matrix.size(1))
    return (identity - matrix @ matrix.transpose(1, 2)).norm(dim=(1, 2)).mean()


def train() -> None:
    model = PointNet()
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)
    for _ in range(2):
        points, labels = torch.randn(5, 100, 3), torch.randint(0, 12, (5, 100))
        scores = model(points)
        matrix = model.feature_transform(model.first(points.transpose(1, 2)))
        loss = F.cross_entropy(scores, labels) + 1e-3 * regularizer(matrix)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    train()
