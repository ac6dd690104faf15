"""Entry points of pytorch-adaptive-computation-time: its recurrent networks that say how long to think, with losses."""

import torch
from pytorch_adaptive_computation_time.models import AdaptiveGRU, AdaptiveRNN, AdaptiveRNNCell


class _Parity(torch.nn.Module):
    """Whether there are evenly many, with what the thinking costs."""

    def __init__(self):
        super().__init__()
        self.cell, self.head = AdaptiveRNNCell(8, 16, time_penalty=1e-3, time_limit=8), torch.nn.Linear(16, 1)

    def forward(self, bits, parity):
        hidden, cost, _ = self.cell(bits)
        return torch.nn.functional.binary_cross_entropy_with_logits(self.head(hidden).squeeze(1), parity) + cost


def parity():
    bits = torch.randint(-1, 2, (4, 8)).float()
    return _Parity(), (bits, ((bits == 1).sum(1) % 2).float())


class _Tagged(torch.nn.Module):
    def __init__(self, recurrent):
        super().__init__()
        self.recurrent, self.head = recurrent, torch.nn.Linear(8, 3)

    def forward(self, steps, tags):
        hidden, _, cost = self.recurrent(steps)
        return torch.nn.functional.cross_entropy(self.head(hidden).flatten(0, 1), tags.flatten()) + cost


def _steps():
    return torch.randn(2, 4, 5), torch.tensor([[0, 2, 1, 0], [1, 0, 2, 2]])


def tags():
    recurrent = AdaptiveGRU(5, 8, num_layers=1, time_penalty=1e-3, time_limit=8, batch_first=True)
    return _Tagged(recurrent), _steps()


def tags_in_two_layers():
    recurrent = AdaptiveRNN(5, 8, num_layers=2, time_penalty=1e-3, time_limit=8, batch_first=True, dropout=0.1)
    return _Tagged(recurrent), _steps()
