"""Entry points of brc-pytorch: bistable cells over steps, with the loss of what they remember."""

import torch
from brc_pytorch.layers import BistableRecurrentCell, MultiLayerBase, NeuromodulatedBistableRecurrentCell
from brc_pytorch.layers.peephole_lstm import PeepholeLSTMCell


class _Remembered(torch.nn.Module):
    def __init__(self, cell):
        super().__init__()
        self.cell, self.head = cell, torch.nn.Linear(6, 1)

    def forward(self, steps, state, wanted):
        for step in steps:
            state = self.cell(step, state)
        return torch.nn.functional.mse_loss(self.head(state), wanted)


def _steps():
    return torch.randn(5, 4, 3), torch.zeros(4, 6), torch.randn(4, 1)


def bistable():
    return _Remembered(BistableRecurrentCell(3, 6)), _steps()


def neuromodulated():
    return _Remembered(NeuromodulatedBistableRecurrentCell(3, 6)), _steps()


class _Peephole(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.cell, self.head = PeepholeLSTMCell(3, 6), torch.nn.Linear(6, 2)

    def forward(self, steps, hidden, memory, labels):
        for step in steps:
            hidden, memory = self.cell(step, hidden, memory)[:2]
        return torch.nn.functional.cross_entropy(self.head(hidden), labels)


def peephole():
    inputs = torch.randn(5, 4, 3), torch.zeros(4, 6), torch.zeros(4, 6)
    return _Peephole(), (*inputs, torch.tensor([0, 1, 1, 0]))


class _Layers(torch.nn.Module):
    def __init__(self):
        super().__init__()
        cells = [NeuromodulatedBistableRecurrentCell(3, 6), NeuromodulatedBistableRecurrentCell(6, 6)]
        self.model = MultiLayerBase("nBRC", cells, 6, device=torch.device("cpu"))
        self.head = torch.nn.Linear(6, 1)

    def forward(self, steps, wanted):
        return torch.nn.functional.mse_loss(self.head(self.model(steps).reshape(4, -1)[:, -6:]), wanted)


def layers():
    return _Layers(), (torch.randn(4, 5, 3), torch.randn(4, 1))
