"""Entry points of arm-pytorch-utilities: its mixture density network and its relaxed neighbours."""

import torch
from arm_pytorch_utilities.model.mdn import MixtureDensityNetwork
from arm_pytorch_utilities.softknn import SoftKNN


class _Mixture(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.network = MixtureDensityNetwork(4, 2, n_components=3)

    def forward(self, features, wanted):
        return self.network.loss(*self.network(features), wanted).mean()


def mixture():
    return _Mixture(), (torch.randn(6, 4), torch.randn(6, 2))


class _Moments(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.network = MixtureDensityNetwork(4, 2, n_components=3)

    def forward(self, features):
        given = self.network(features)
        return self.network.mean(*given), self.network.stddev(*given)


def moments():
    return _Moments(), (torch.randn(6, 4),)


class _Neighbours(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.layer, self.neighbours = torch.nn.Linear(4, 2), SoftKNN(min_k=3, **options)

    def forward(self, features, values):
        return self.neighbours(self.layer(features)) @ values


def neighbours():
    return _Neighbours(normalization=1), (torch.randn(8, 4), torch.randn(8, 2))


def soft_neighbours():
    return _Neighbours(activation=4.0, uniform_threshold=True), (torch.randn(8, 4), torch.randn(8, 2))
