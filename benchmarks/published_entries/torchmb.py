"""Entry points of torchmb: several models at once in its layers, and their losses, as in its README."""

import torch
from torch import nn
from torchmb import BatchModule, batch_loss


class _Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.conv, self.norm, self.linear = nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.Linear(36, 3)

    def forward(self, images):
        features = nn.functional.max_pool2d(nn.functional.relu(self.norm(self.conv(images))), 2)
        return self.linear(features.flatten(1))


class _Trained(nn.Module):
    def __init__(self, model, batch):
        super().__init__()
        self.model, self.batch = BatchModule(model, batch=batch), batch

    def forward(self, inputs, targets):
        return batch_loss(self.model(inputs), targets, self.batch, nn.functional.cross_entropy, "mean")


def perceptrons():
    model = nn.Sequential(nn.Linear(6, 8), nn.ReLU(), nn.Linear(8, 3))
    return BatchModule(model, batch=3), (torch.randn(3, 2, 6),)


def trained_perceptrons():
    model = nn.Sequential(nn.Linear(6, 8), nn.Tanh(), nn.Linear(8, 3))
    return _Trained(model, 3), (torch.randn(3, 4, 6), torch.randint(3, (3, 4)))


def images():
    model = nn.Sequential(nn.Conv2d(1, 4, 3), nn.BatchNorm2d(4), nn.ReLU(), nn.AvgPool2d(2))
    return BatchModule(model, batch=3), (torch.rand(3, 2, 1, 8, 8),)
