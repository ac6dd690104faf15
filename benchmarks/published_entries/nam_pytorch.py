"""Entry points of nam-pytorch: its additive networks of features, for probabilities and for values, with losses."""

import torch
from nam_pytorch.nam_pytorch import NAM


def probabilities():
    return NAM(num_features=4, link_func="sigmoid"), torch.rand(3, 4)


class _Trained(torch.nn.Module):
    def __init__(self, link, loss):
        super().__init__()
        self.model, self.loss = NAM(num_features=4, link_func=link), loss

    def forward(self, rows, targets):
        return self.loss(self.model(rows), targets)


def probabilities_trained():
    model = _Trained("sigmoid", torch.nn.BCELoss())
    return model, (torch.rand(3, 4), torch.tensor([[1.0], [0.0], [1.0]]))


def values_trained():
    return _Trained("tanh", torch.nn.MSELoss()), (torch.rand(3, 4), torch.rand(3, 1))
