"""Entry points of torchtuples: its perceptrons of numbers and categories with the losses of its examples."""

import torch
from torchtuples.practical import MixedInputMLP, MLPVanilla


class _Trained(torch.nn.Module):
    def __init__(self, network, loss):
        super().__init__()
        self.network, self.loss = network, loss

    def forward(self, *samples):
        return self.loss(self.network(*samples[:-1]), samples[-1])


def regression():
    network = MLPVanilla(5, [8, 8], 1, batch_norm=True, dropout=0.1)
    return _Trained(network, torch.nn.functional.mse_loss), (torch.randn(4, 5), torch.randn(4, 1))


def classes():
    network = MLPVanilla(5, [8], 3, batch_norm=False, activation=torch.nn.SELU)
    return _Trained(network, torch.nn.functional.cross_entropy), (torch.randn(4, 5), torch.tensor([0, 2, 1, 1]))


def categories():
    network = MixedInputMLP(3, [4, 6], [2, 3], [8, 8], 1, batch_norm=True, dropout=0.1)
    numbers, kinds = torch.randn(4, 3), torch.stack((torch.randint(0, 4, (4,)), torch.randint(0, 6, (4,))), dim=1)
    return _Trained(network, torch.nn.functional.binary_cross_entropy_with_logits), (
        numbers,
        kinds,
        torch.rand(4, 1).round(),
    )
