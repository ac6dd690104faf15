"""Entry points of strnn-hv: its networks of given dependences between variables, and their losses of densities."""

import numpy as np
import torch
from strnn.models.strNN import StrNN
from strnn.models.strNNDensityEstimator import StrNNDensityEstimator


def _dependences():
    return np.array([[0, 0, 0, 0, 0], [1, 0, 0, 0, 0], [1, 0, 0, 0, 0], [0, 1, 1, 0, 0], [0, 0, 0, 1, 0]])


class _Density(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.model = StrNNDensityEstimator(5, (8, 8), 5, data_type="binary", **options)

    def forward(self, x):
        return self.model.get_preds_loss(x)


def greedy_binary():
    return _Density(opt_type="greedy", adjacency=_dependences()), ((torch.rand(6, 5) > 0.5).float(),)


def autoregressive_binary():
    return _Density(opt_type="MADE", adjacency=np.tril(np.ones((5, 5)), -1)), ((torch.rand(6, 5) > 0.5).float(),)


class _Gaussians(torch.nn.Module):
    """Each variable as a Gaussian of those it depends on."""

    def __init__(self):
        super().__init__()
        self.net = StrNN(5, (8,), 10, opt_type="zuko", adjacency=_dependences(), activation="tanh")

    def forward(self, x):
        mean, scale = self.net(x).chunk(2, -1)
        return -torch.distributions.Normal(mean, scale.exp()).log_prob(x).sum(-1).mean()


def gaussians():
    return _Gaussians(), (torch.randn(6, 5),)
