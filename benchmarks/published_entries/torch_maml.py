"""Entry points of torch-maml: networks trained within the graph, and the loss of what they have become."""

import torch
from torch_maml import GradientCheckpointMAML, IngraphGradientDescent, IngraphRMSProp, NaiveMAML


def _network():
    return torch.nn.Sequential(torch.nn.Linear(3, 8), torch.nn.Tanh(), torch.nn.Linear(8, 1))


def _error(network, batch):
    rows, wanted = batch
    return torch.nn.functional.mse_loss(network(rows), wanted)


class _Learned(torch.nn.Module):
    """The error on new rows after a few steps on known ones."""

    def __init__(self, trainer):
        super().__init__()
        self.trainer = trainer

    def forward(self, known, wanted, rows, values):
        result = self.trainer(list(zip(known, wanted, strict=True)))
        return _error(result.model, (rows, values))


def _rows(steps=3):
    return torch.randn(steps, 5, 3), torch.randn(steps, 5, 1), torch.randn(4, 3), torch.randn(4, 1)


def descent():
    return _Learned(NaiveMAML(_network(), _error, IngraphGradientDescent(0.1))), _rows()


def scaled_descent():
    optimizer = IngraphRMSProp(learning_rate=0.01, momentum=0.5, beta=0.9, epsilon=1e-4)
    return _Learned(NaiveMAML(_network(), _error, optimizer)), _rows()


def descent_with_checkpoints():
    trainer = GradientCheckpointMAML(_network(), _error, IngraphGradientDescent(0.1), checkpoint_steps=2)
    return _Learned(trainer), _rows(4)
