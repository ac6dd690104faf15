"""Entry points of skeletorch: its mixing of a skeleton's points, before networks that say what is done or follows."""

import torch
from skeletorch import SkeletonTransformer


class _Action(torch.nn.Module):
    """Ten steps of one person's 17 points."""

    def __init__(self):
        super().__init__()
        self.points, self.memory = SkeletonTransformer(10, 2, 17, 6), torch.nn.GRU(12, 8)
        self.output, self.loss = torch.nn.Linear(8, 5), torch.nn.CrossEntropyLoss()

    def forward(self, skeleton, label):
        _, last = self.memory(self.points(skeleton))
        return self.loss(self.output(last), label)


def action():
    return _Action(), (torch.rand(10, 34), torch.tensor([3]))


class _Motion(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.points = SkeletonTransformer(6, 3, 5, 8)
        self.model = torch.nn.Sequential(torch.nn.Linear(24, 16), torch.nn.Tanh(), torch.nn.Linear(16, 15))
        self.loss = torch.nn.SmoothL1Loss()

    def forward(self, before, after):
        return self.loss(self.model(self.points(before)).reshape(6, 5, 3), after)


def motion():
    return _Motion(), (torch.randn(6, 5, 3), torch.randn(6, 5, 3))
