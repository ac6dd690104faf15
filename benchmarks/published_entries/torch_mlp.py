"""Entry points of torch-mlp: its perceptrons of numbers and of words, normalised and initialised, with losses."""

import torch
from torch_mlp.mlp import MLP


class _Trained(torch.nn.Module):
    def __init__(self, model, loss):
        super().__init__()
        self.model, self.loss = model, loss

    def forward(self, samples, wanted):
        return self.loss(self.model(samples), wanted)


def classified():
    model = MLP(6, 16, 3, depth=2, norm=torch.nn.BatchNorm1d, p=0.2)
    return _Trained(model, torch.nn.CrossEntropyLoss()), (torch.randn(4, 6), torch.tensor([2, 0, 1, 1]))


def probabilities():
    model = MLP(dims=[6, 12, 8, 1], act=torch.nn.GELU, norm=torch.nn.LayerNorm, end_act=torch.nn.Sigmoid)
    return _Trained(model, torch.nn.BCELoss()), (torch.randn(4, 6), torch.tensor([[1.0], [0.0], [0.0], [1.0]]))


def words():
    """Each step is a word, and so is what follows it."""
    model = MLP(20, 12, 20, depth=2, embed=True, act=torch.nn.SiLU, weight_init=torch.nn.init.kaiming_uniform_)
    loss = torch.nn.CrossEntropyLoss()
    return _Trained(torch.nn.Sequential(model, torch.nn.Flatten(0, 1)), loss), (
        torch.randint(0, 20, (2, 5)),
        torch.randint(0, 20, (10,)),
    )
