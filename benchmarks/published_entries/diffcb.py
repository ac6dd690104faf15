"""Entry points of diffcb: the width at which a density has one peak, as part of a loss, as in its README."""

import torch
from dcb import DCBLayer, TrainingLayer, soft_mode_count


class _Peaks(torch.nn.Module):
    """Values of a layer that are drawn to one peak."""

    def __init__(self, layer):
        super().__init__()
        self.model, self.layer = torch.nn.Linear(3, 1, dtype=torch.float64), layer

    def forward(self, rows):
        return self.layer(self.model(rows).squeeze(-1))


def _rows():
    return torch.cat([torch.randn(60, 3), torch.randn(60, 3) + 3]).double()


def width():
    return _Peaks(DCBLayer()), _rows()


def width_in_training():
    return _Peaks(TrainingLayer(warm_start=True)), _rows()


class _Counted(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = torch.nn.Linear(3, 1, dtype=torch.float64)

    def forward(self, rows, places):
        return soft_mode_count(self.model(rows).squeeze(-1), 0.4, places, 0.05, 0.05)


def counted():
    return _Counted(), (_rows(), torch.linspace(-5, 5, 60, dtype=torch.float64))
