"""Entry points of torch-snake: networks of its periodic activation, with losses of their training."""

import torch
from snake.activations import Snake


class _Fitted(torch.nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.model = torch.nn.Sequential(*layers)

    def forward(self, samples, targets):
        return torch.nn.functional.mse_loss(self.model(samples), targets)


def curve():
    layers = torch.nn.Linear(1, 16), Snake(16, a=1.0), torch.nn.Linear(16, 16), Snake(16, a=1.0), torch.nn.Linear(16, 1)
    return _Fitted(*layers), (torch.randn(8, 1), torch.randn(8, 1))


def curve_of_fixed_period():
    layers = torch.nn.Linear(1, 16), Snake(16, a=0.5, trainable=False), torch.nn.Linear(16, 1)
    return _Fitted(*layers), (torch.randn(8, 1), torch.randn(8, 1))


def sound():
    layers = torch.nn.Conv1d(1, 8, 3, padding=1), Snake([8, 1], a=1.0), torch.nn.Conv1d(8, 1, 3, padding=1)
    return _Fitted(*layers), (torch.randn(2, 1, 12), torch.randn(2, 1, 12))
