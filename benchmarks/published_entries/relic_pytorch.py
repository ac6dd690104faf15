"""Entry points of relic-pytorch: two views of the same pictures, brought together without labels."""

import sys
from unittest.mock import MagicMock

import torch

for _name in (
    "torchvision.datasets",
    "torchvision.transforms",
    "torchvision",
    "sklearn.linear_model",
    "sklearn",
    "datasets",
):
    sys.modules[_name] = MagicMock()  # encoders, scores and data, which nothing here needs

from relic.relic import ReLIC, relic_loss  # noqa: E402


def _encoder():
    return torch.nn.Sequential(
        torch.nn.Conv2d(3, 8, 3, stride=2, padding=1),
        torch.nn.BatchNorm2d(8),
        torch.nn.ReLU(),
        torch.nn.AdaptiveAvgPool2d(1),
        torch.nn.Flatten(),
    )


class _Contrasting(torch.nn.Module):
    """A step of training as the package takes it: each view against the other one's target."""

    def __init__(self, alpha=0.5, **options):
        super().__init__()
        self.model, self.options = ReLIC(_encoder(), 16, 32, mlp_in_dim=8), {"alpha": alpha, **options}

    def forward(self, first, second):
        online, other, target, other_target = self.model(first, second)
        losses = [
            relic_loss(one, two, self.model.tau, self.model.b, **self.options)[0]
            for one, two in ((online, other_target), (other, target))
        ]
        return sum(losses) / 2


def _views():
    return torch.rand(6, 3, 16, 16), torch.rand(6, 3, 16, 16)


def contrasting():
    return _Contrasting(), _views()


def pairwise():
    return _Contrasting(use_siglip=True, max_tau=10.0), _views()


def encoders():
    return ReLIC(_encoder(), 16, 32, mlp_in_dim=8), _views()
