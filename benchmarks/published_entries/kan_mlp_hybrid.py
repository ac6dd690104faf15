"""Entry points of kan-mlp-hybrid: perceptrons with learned activations, parallel paths and splines alone."""

import torch
from kan_mlp_hybrid import LAMLP, PPHNet, PureKAN


def learned_activations():
    model = LAMLP(in_features=5, hidden_features=[8, 8], out_features=1, num_layers=3, grid_size=5, spline_order=3)
    return model, (2 * torch.rand(4, 5) - 1,)


class _Trained(torch.nn.Module):
    def __init__(self, model, criterion):
        super().__init__()
        self.model, self.criterion = model, criterion

    def forward(self, features, wanted):
        return self.criterion(self.model(features), wanted)


def parallel_paths():
    model = PPHNet(in_features=8, hidden_features=[6, 6], out_features=1, num_layers=3)
    return _Trained(model, torch.nn.MSELoss()), (torch.randn(4, 8), torch.randn(4, 1))


def splines():
    model = PureKAN(in_features=6, hidden_features=[8], out_features=4, num_layers=2)
    return _Trained(model, torch.nn.CrossEntropyLoss()), (torch.randn(4, 6), torch.tensor([0, 3, 1, 1]))
