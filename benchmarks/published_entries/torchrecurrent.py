"""Entry points of torchrecurrent: recurrent layers that tag steps, with their loss."""

import torch
from torchrecurrent import LEM, MCLSTM, TLSTM, UnICORNN, coRNN


class _Tagged(torch.nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer, self.head = layer, torch.nn.Linear(6, 4)

    def forward(self, steps, tags):
        return torch.nn.functional.cross_entropy(self.head(self.layer(steps)[0]).flatten(0, 1), tags.flatten())


def _steps():
    return torch.randn(5, 2, 3), torch.randint(4, (5, 2))


def coupled_oscillators():
    return _Tagged(coRNN(3, 6)), _steps()


def independent_oscillators():
    return _Tagged(UnICORNN(3, 6)), _steps()


def mass_conserving():
    return _Tagged(MCLSTM(3, 6)), (torch.rand(5, 2, 3), torch.randint(4, (5, 2)))


def long_expressive_memory():
    return _Tagged(LEM(3, 6, num_layers=2)), _steps()


def strongly_typed():
    return _Tagged(TLSTM(3, 6)), _steps()
