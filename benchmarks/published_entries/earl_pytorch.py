"""Entry points of earl-pytorch: attention over the ball, boosts and players of a game, with what it predicts."""

import sys
import types

import torch

_package = sys.modules["earl_pytorch"] = types.ModuleType("earl_pytorch")
_package.__path__ = ["earl_pytorch"]

from earl_pytorch.model import EPRL, EARLPerceiver, outputs  # noqa: E402


class _Goals(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.earl, self.score = EARLPerceiver(n_dims=8, n_layers=2, n_heads=2), outputs.NextGoalPredictor(8)

    def forward(self, query, entities, mask, scored):
        state = self.earl(query, entities, mask=mask)
        return torch.nn.functional.cross_entropy(self.score(state[:, 0]), scored)


def _entities(count):
    """Positions and velocities scaled to one, after marks of what each is."""
    marks = torch.nn.functional.one_hot(torch.arange(count) % 5, 5).float().repeat(2, 1, 1)
    return torch.cat([marks, 2 * torch.rand(2, count, 19) - 1], -1)


def goals():
    mask = torch.tensor([[False] * 6, [False] * 4 + [True] * 2])
    return _Goals(), (_entities(1), _entities(6), mask, torch.tensor([0, 1]))


class _Controls(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.earl = EARLPerceiver(n_dims=8, n_layers=1, n_heads=2, n_postprocess_layers=1)
        self.discrete, self.continuous = outputs.ControlsPredictorDiscrete(8), outputs.ControlsPredictorContinuous(8)

    def forward(self, query, entities):
        state = self.earl(query, entities)
        return self.discrete(state), self.continuous(state)


def controls():
    return _Controls(), (_entities(2), _entities(6))


class _Touches(torch.nn.Module):
    """Which player touches which object."""

    def __init__(self):
        super().__init__()
        self.earl, self.touches = EARLPerceiver(n_dims=8, n_layers=1, n_heads=2), outputs.InteractionPredictor(8, 4)

    def forward(self, players, entities):
        state = self.earl(players, entities)
        return self.touches(state, state)


def touches():
    return _Touches(), (_entities(2), _entities(6))


def pooled():
    return EPRL(n_dims=8, n_hidden=1), (_entities(1), _entities(3), _entities(1), _entities(4))
