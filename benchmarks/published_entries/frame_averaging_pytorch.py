"""Entry points of frame-averaging-pytorch: networks of points made equivariant by averaging frames, with a loss."""

import torch
from frame_averaging_pytorch import FrameAverage


class _Equivariant(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        network = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.SiLU(), torch.nn.Linear(8, 3))
        self.model = FrameAverage(network, **options)

    def forward(self, points, mask, wanted):
        moved = self.model(points, frame_average_mask=mask)
        return ((moved - wanted).pow(2).sum(-1) * mask).sum() / mask.sum()


def _points():
    mask = torch.ones(4, 10).bool()
    mask[1, 6:] = False
    return torch.randn(4, 10, 3), mask, torch.randn(4, 10, 3)


def equivariant():
    return _Equivariant(dim=3), _points()


def one_frame():
    return _Equivariant(dim=3, stochastic=True), _points()


class _Invariant(torch.nn.Module):
    def __init__(self):
        super().__init__()
        network = torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.SiLU())
        self.model, self.head = FrameAverage(network, dim=3, invariant_output=True), torch.nn.Linear(8, 5)

    def forward(self, points, labels):
        return torch.nn.functional.cross_entropy(self.head(self.model(points).mean(1)), labels)


def invariant():
    return _Invariant(), (torch.randn(4, 10, 3), torch.tensor([0, 4, 2, 2]))


class _ByHand(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.network, self.frames = torch.nn.Linear(3, 3), FrameAverage()

    def forward(self, points, mask):
        framed, average = self.frames(points, frame_average_mask=mask)
        return average(self.network(framed))


def by_hand():
    return _ByHand(), _points()[:2]
