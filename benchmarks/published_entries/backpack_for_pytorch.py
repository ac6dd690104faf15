"""Entry points of backpack-for-pytorch: networks of its branching modules, extended for its quantities, with a loss."""

import sys
from unittest.mock import MagicMock

import torch

sys.modules["unfoldNd"] = MagicMock()  # for transposed convolutions, which no entry here has

from backpack import extend  # noqa: E402
from backpack.custom_module.branching import Parallel  # noqa: E402
from backpack.custom_module.permute import Permute  # noqa: E402
from backpack.custom_module.reduce_tuple import ReduceTuple  # noqa: E402
from backpack.custom_module.scale_module import ScaleModule  # noqa: E402


class _Extended(torch.nn.Module):
    def __init__(self, model, loss):
        super().__init__()
        self.model, self.loss = extend(model), extend(loss)

    def forward(self, features, wanted):
        return self.loss(self.model(features), wanted)


def perceptron():
    model = torch.nn.Sequential(torch.nn.Linear(6, 8), torch.nn.Sigmoid(), torch.nn.Linear(8, 3))
    return _Extended(model, torch.nn.CrossEntropyLoss()), (torch.randn(4, 6), torch.tensor([0, 2, 1, 1]))


def branches():
    branch = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU(), ScaleModule(0.5))
    model = torch.nn.Sequential(torch.nn.Linear(6, 8), Parallel(ScaleModule(1.0), branch), torch.nn.Linear(8, 2))
    return _Extended(model, torch.nn.MSELoss()), (torch.randn(4, 6), torch.randn(4, 2))


def recurrent():
    lstm = torch.nn.LSTM(6, 8, batch_first=True)
    model = torch.nn.Sequential(lstm, ReduceTuple(index=0), torch.nn.Linear(8, 3), Permute(0, 2, 1))
    return _Extended(model, torch.nn.CrossEntropyLoss()), (torch.randn(4, 5, 6), torch.randint(3, (4, 5)))
