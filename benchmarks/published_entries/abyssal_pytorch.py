"""Entry points of abyssal-pytorch: what a mutation does to a protein's stability, with its trainer's loss."""

import torch
from abyssal_pytorch import Abyssal
from abyssal_pytorch.abyssal_pytorch import LightAttention


class _Predicting(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, wild, mutated, label):
        return torch.nn.functional.mse_loss(self.model(wild, mutated).flatten(), label)


class _Narrow(torch.nn.Module):
    """The package's attention over shorter embeddings, with one layer behind it."""

    def __init__(self):
        super().__init__()
        self.attention, self.last = LightAttention(), torch.nn.Linear(40, 1)

    def forward(self, wild, mutated):
        return self.last(torch.cat([self.attention(each.unsqueeze(1)) for each in (wild, mutated)], -1).squeeze(1))


def _data(size):
    return torch.randn(4, size), torch.randn(4, size), torch.randn(4)


def whole():
    return _Predicting(Abyssal()), _data(1280)


def normalised():
    return _Predicting(Abyssal(use_bn=True)), _data(1280)


def narrow():
    return _Predicting(_Narrow()), _data(20)
