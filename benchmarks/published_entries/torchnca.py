"""Entry points of torchnca: its metric by the neighbours of the same class, with its loss."""

import torch
from torchnca import NCA


class _Neighbours(torch.nn.Module):
    """One step of its training, on normalised samples."""

    def __init__(self, samples, **options):
        super().__init__()
        self.metric = NCA(**options)
        self.metric.num_train, self.metric.num_dims = samples.shape
        self.metric.device = samples.device
        self.metric._init_transformation()
        self.transformation = self.metric.A

    def forward(self, samples, labels):
        samples = (samples - samples.mean(dim=0)) / samples.std(dim=0)
        return self.metric.loss(samples, labels[:, None] == labels[None, :])


def _samples():
    return torch.randn(6, 4), torch.tensor([0, 1, 2, 0, 1, 2])


def random_start():
    return _Neighbours(_samples()[0], dim=2, init="random"), _samples()


def identity_start():
    return _Neighbours(_samples()[0], dim=3, init="identity"), _samples()
