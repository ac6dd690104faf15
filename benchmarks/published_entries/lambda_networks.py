"""Entry points of lambda-networks: lambda layers with global and local contexts, alone and in a classifier."""

import torch
from lambda_networks import LambdaLayer


def _picture():
    return (torch.randn(2, 8, 6, 6),)


def of_everything():
    return LambdaLayer(dim=8, dim_out=8, n=6, dim_k=4, heads=2, dim_u=1), _picture()


def of_neighbours():
    return LambdaLayer(dim=8, dim_out=8, r=3, dim_k=4, heads=2, dim_u=2), _picture()


class _Classifier(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.last = LambdaLayer(dim=8, dim_out=8, r=3, dim_k=4, heads=2, dim_u=1), torch.nn.Linear(8, 3)

    def forward(self, picture, labels):
        scores = self.last(self.layer(picture).relu().mean((2, 3)))
        return torch.nn.functional.cross_entropy(scores, labels)


def classifier():
    return _Classifier(), (*_picture(), torch.randint(0, 3, (2,)))
