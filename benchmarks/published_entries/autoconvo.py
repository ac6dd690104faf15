"""Entry points of autoconvo: convolutions that it finds between two shapes, as in its README, with their losses."""

import torch
from autoconvo.convo import make_convolutions


class _Marked(torch.nn.Module):
    def __init__(self, convolutions, features):
        super().__init__()
        self.convolutions, self.head = convolutions, torch.nn.Linear(features, 1)

    def forward(self, pictures, marks):
        probabilities = torch.sigmoid(self.head(self.convolutions(pictures).flatten(1)))
        return torch.nn.functional.binary_cross_entropy(probabilities, marks)


def pictures():
    layers = make_convolutions([3, 64, 64], [10, 1, 1], 3, cache=False)
    return _Marked(layers, 10), (torch.rand(2, 3, 64, 64), torch.tensor([[1.0], [0.0]]))


def normalized():
    options = {"norm_type": "batch", "pool_type": "avg", "activation": torch.nn.Tanh, "cache": False}
    layers = make_convolutions([3, 64, 64], [10, 1, 1], 3, **options)
    return _Marked(layers, 10), (torch.rand(2, 3, 64, 64), torch.tensor([[1.0], [0.0]]))
