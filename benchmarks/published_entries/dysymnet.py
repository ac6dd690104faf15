"""Entry points of dysymnet: its symbolic networks under its smoothed norm, and the agent that chooses operators."""

import torch
from DySymNet.scripts import functions
from DySymNet.scripts.controller import Agent
from DySymNet.scripts.regularization import L12Smooth
from DySymNet.scripts.symbolic_network import SymbolicLayerL0, SymbolicNet


class _Fitted(torch.nn.Module):
    """The error of a formula and the norm that makes its weights few."""

    def __init__(self, depth, inputs, choice, **options):
        super().__init__()
        self.net = SymbolicNet(depth, inputs, funcs={i + 1: choice for i in range(depth)}, **options)
        self.norm = L12Smooth(a=0.05)

    def forward(self, x, y):
        error = torch.nn.functional.mse_loss(self.net(x), y)
        return error + 0.005 * self.norm(list(self.net.parameters()))


def _points():
    return 2 * torch.rand(8, 2) - 1, torch.rand(8, 1)


def products_and_sines():
    choice = [functions.Identity(), functions.Square(), functions.Sin(), functions.Plus(), functions.Product()]
    return _Fitted(2, 2, choice, init_stddev=[0.1, 0.5]), _points()


def logarithms_and_quotients():
    choice = [functions.Exp(), functions.Log(), functions.Cos(), functions.Sub(), functions.Div()]
    return _Fitted(1, 2, choice, init_stddev=0.5, add_bias=True), _points()


class _Dropped(torch.nn.Module):
    """A layer with weights that are dropped, and how many of them are expected to stay."""

    def __init__(self):
        super().__init__()
        choice = [functions.Identity(), functions.Sigmoid(), functions.Pow(3), functions.Product()]
        self.layer, self.head = SymbolicLayerL0(2, choice, init_stddev=0.5, bias=True), torch.nn.Linear(4, 1)

    def forward(self, x, y):
        return torch.nn.functional.mse_loss(self.head(self.layer(x)), y) + 0.005 * self.layer.loss()


def dropped_weights():
    return _Dropped(), _points()


class _Policy(torch.nn.Module):
    """The risk that an agent of operators takes for its rewards, with its entropy."""

    def __init__(self):
        super().__init__()
        self.agent = Agent(False, 5, 8, num_funcs_avail=5, n_layers=2, num_funcs_layer=3)

    def forward(self, start, reward):
        _, log_probability, entropy = self.agent(start)
        return -log_probability * reward - 0.005 * entropy


def operator_policy():
    return _Policy(), (torch.rand(1, 5), torch.tensor(0.4))
