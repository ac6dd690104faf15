"""Entry points of online-triplet-loss: its losses of all and of hard triplets, on embedded rows."""

import torch
from online_triplet_loss.losses import batch_all_triplet_loss, batch_hard_triplet_loss


class _Embedded(torch.nn.Module):
    def __init__(self, loss, **settings):
        super().__init__()
        self.model = torch.nn.Sequential(torch.nn.Linear(8, 12), torch.nn.ReLU(), torch.nn.Linear(12, 6))
        self.loss, self.settings = loss, settings

    def forward(self, rows, labels):
        given = self.loss(labels, self.model(rows), **self.settings)
        return given[0] if isinstance(given, tuple) else given


def _rows():
    return torch.randn(8, 8), torch.tensor([0, 1, 0, 2, 1, 2, 0, 1])


def all_triplets():
    return _Embedded(batch_all_triplet_loss, margin=1.0, squared=False), _rows()


def all_triplets_by_squares():
    return _Embedded(batch_all_triplet_loss, margin=1.0, squared=True), _rows()


def hard_triplets():
    return _Embedded(batch_hard_triplet_loss, margin=1.0), _rows()


def hard_triplets_by_squares():
    return _Embedded(batch_hard_triplet_loss, margin=1.0, squared=True), _rows()
