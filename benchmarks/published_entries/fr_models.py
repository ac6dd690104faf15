"""Entry points of fr-models: its loss relative to what was measured, on small networks of firing rates."""

import torch
from fr_models.criteria import NormalizedLoss


class _Rates(torch.nn.Module):
    """Rates that follow from the stimulus and from the other neurons, after some steps."""

    def __init__(self, steps):
        super().__init__()
        self.stimulus, self.recurrent = torch.nn.Linear(3, 5), torch.nn.Linear(5, 5, bias=False)
        self.steps, self.loss = steps, NormalizedLoss()

    def forward(self, stimuli, measured):
        rates = driven = torch.relu(self.stimulus(stimuli)) ** 2
        for _ in range(self.steps):
            rates = rates + 0.2 * (torch.tanh(driven + self.recurrent(rates)) - rates)
        return self.loss(rates, measured)


def driven():
    return _Rates(0), (torch.rand(4, 3), torch.rand(4, 5) * 10)


def recurrent():
    return _Rates(3), (torch.rand(4, 3), torch.rand(4, 5) * 10)
