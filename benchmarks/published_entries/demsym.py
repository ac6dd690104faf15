"""Entry points of demsym: decoders of quantum codes that keep a code's symmetries, with their loss."""

import numpy as np
import torch
from demsym import Dem, close, nn, solve_action


class _Trained(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, syndromes, flipped):
        return torch.nn.functional.cross_entropy(self.model(syndromes), flipped)


def _repetition(length):
    """A repetition code that noise on each qubit and on each measurement disturbs."""
    mechanisms = [([0], 1, 0.05), ([length - 2], 0, 0.05)]
    mechanisms += [([place, place + 1], 0, 0.05) for place in range(length - 2)]
    return Dem.from_mechanisms(mechanisms, length - 1, 1)


def _reflected(length):
    code = _repetition(length)
    return close([solve_action(code, np.arange(length - 1)[::-1].copy(), "reflected")], code)


def _syndromes(length):
    return torch.randint(2, (4, length - 1)).float()


def reflected():
    return nn.TwistedEquivariant(nn.mlp_backbone(4, 1, hidden=8), _reflected(5)), (_syndromes(5),)


def trained():
    model = nn.TwistedEquivariant(nn.mlp_backbone(6, 1, hidden=8), _reflected(7))
    return _Trained(model), (_syndromes(7), torch.tensor([0, 1, 1, 0]))
