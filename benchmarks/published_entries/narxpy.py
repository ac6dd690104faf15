"""Entry points of narxpy: its network of past inputs and outputs, in open and closed loop, with losses of training."""

import torch
from narxpy.model import NARX


class _System(torch.nn.Module):
    def __init__(self, model, loss, mode, bootstrap=None):
        super().__init__()
        self.model, self.loss, self.mode, self.bootstrap = model, loss, mode, bootstrap

    def forward(self, inputs, outputs):
        given = self.model(inputs, mode=self.mode, y=outputs, bootstrap=self.bootstrap)
        return self.loss(given, outputs)


def _signals(inputs, outputs):
    """Scaled to what a sigmoid can give, as its loader scales them."""
    return torch.rand(3, 10, inputs), torch.rand(3, 10, outputs)


def open_loop():
    return _System(NARX(2, 3, 2, 1, 8), torch.nn.MSELoss(), "open"), _signals(2, 1)


def closed_loop():
    """The first outputs are given, what follows is its own."""
    return _System(NARX(2, 3, 2, 1, 8), torch.nn.MSELoss(), "close", bootstrap=4), _signals(2, 1)


def many_outputs():
    return _System(NARX(3, 2, 1, 2, 8, "Identity"), torch.nn.SmoothL1Loss(), "open"), _signals(1, 2)


def simulated():
    return NARX(2, 2, 3, 1, 8, "Softplus"), torch.rand(2, 8, 3)
