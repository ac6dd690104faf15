"""Entry points of surmse: its loss, which lets what is wanted be exceeded, on small networks."""

import torch
from surmse import surMSE


class _Trained(torch.nn.Module):
    def __init__(self, model, **options):
        super().__init__()
        self.model, self.options = model, options

    def forward(self, samples, wanted):
        return surMSE(self.model(samples), wanted, **self.options)


def _perceptron():
    return torch.nn.Sequential(torch.nn.Linear(5, 16), torch.nn.Tanh(), torch.nn.Linear(16, 3))


def vectors():
    return _Trained(_perceptron()), (torch.randn(4, 5), torch.randn(4, 3))


def one_hot():
    wanted = torch.nn.functional.one_hot(torch.tensor([2, 0, 1, 1]), 3).float()
    return _Trained(_perceptron(), scale=False, protect=0.1), (torch.randn(4, 5), wanted)


def steps():
    model = torch.nn.Sequential(torch.nn.Conv1d(5, 8, 3, padding=1), torch.nn.ReLU(), torch.nn.Conv1d(8, 3, 1))
    return _Trained(model, dim=1), (torch.randn(2, 5, 10), torch.randn(2, 3, 10))
