"""Entry points of auto-esn: its reservoirs of fixed weights with readouts that are trained, on series, with losses."""

import torch
from auto_esn.esn.esn import DeepESN, FlexDeepESN, GroupOfESN
from auto_esn.esn.readout.nn_readout import AutoNNReadout
from auto_esn.esn.reservoir.activation import tanh
from auto_esn.esn.reservoir.util import NRMSELoss, RMSELoss


class _Forecast(torch.nn.Module):
    def __init__(self, model, loss):
        super().__init__()
        self.model, self.loss = model, loss

    def forward(self, past, future):
        return self.loss(self.model(past), future)


def _series():
    """Several series, each of which starts with the reservoir at rest."""
    steps = torch.sin(torch.linspace(0, 8, 13) + torch.tensor([[0.0], [1.0]])).unsqueeze(2)
    steps = steps + 0.05 * torch.randn(2, 13, 1)
    return steps[:, :-1], steps[:, 1:]


def deep():
    return _Forecast(DeepESN(1, 16, num_layers=2), NRMSELoss()), _series()


def deep_of_leaky_units():
    return _Forecast(DeepESN(1, 16, num_layers=2, activation=tanh(leaky_rate=0.5)), RMSELoss()), _series()


def group():
    return _Forecast(GroupOfESN(1, 8, groups=3), torch.nn.MSELoss()), _series()


def read_by_a_network():
    readout = AutoNNReadout(32, 1)
    return _Forecast(FlexDeepESN(readout, 1, 16, num_layers=2), torch.nn.MSELoss()), _series()
