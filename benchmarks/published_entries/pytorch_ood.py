"""Entry points of pytorch-ood: its losses for networks that shall know what they do not know."""

import torch
from pytorch_ood import loss as losses


class _Classified(torch.nn.Module):
    """Known classes, and samples of none, whose label is negative."""

    def __init__(self, loss, outputs=3):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.ReLU(), torch.nn.Linear(8, outputs))
        self.loss = loss

    def forward(self, samples, labels):
        return self.loss(self.layers(samples), labels)


def _samples():
    return torch.randn(5, 6), torch.tensor([0, 2, 1, -1, -1])


def entropic():
    return _Classified(losses.EntropicOpenSetLoss()), _samples()


def outlier_exposure():
    return _Classified(losses.OutlierExposureLoss(alpha=0.5)), _samples()


def energy():
    return _Classified(losses.EnergyRegularizedLoss()), _samples()


def normalised():
    return _Classified(losses.LogitNorm(t=0.04)), (torch.randn(4, 6), torch.tensor([0, 2, 1, 1]))


class _Distances(_Classified):
    """By how far from centres the embedding lies."""

    def forward(self, samples, labels):
        return self.loss(self.loss.distance(self.layers(samples)), labels)


def anchored():
    return _Distances(losses.CACLoss(n_classes=3, magnitude=5.0)), _samples()


def one_class():
    return _Classified(losses.DeepSADLoss(n_dim=4, center=torch.ones(4)), 4), (
        torch.randn(5, 6),
        torch.tensor([0, 0, 1, -1, -1]),
    )
