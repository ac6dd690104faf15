"""Entry points of torchxlstm: its scalar and matrix memories, and both stacked, that classify steps."""

import torch
from torchxlstm import mLSTM, sLSTM, xLSTM


class _Tagged(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model, self.head = model, torch.nn.Linear(6, 4)

    def forward(self, steps, tags):
        hidden, _ = self.model(steps)
        return torch.nn.functional.cross_entropy(self.head(hidden).flatten(0, 1), tags.flatten())


def _steps():
    return torch.randn(2, 5, 6), torch.randint(4, (2, 5))


def scalar_memory():
    return _Tagged(sLSTM(6, 4, 2, batch_first=True)), _steps()


def matrix_memory():
    return _Tagged(mLSTM(6, 4, 2, batch_first=True)), _steps()


def both():
    return _Tagged(xLSTM(6, 4, 2, ["s", "m"], batch_first=True)), _steps()
