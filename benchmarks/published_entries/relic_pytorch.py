"""Entry points of relic-pytorch: two views of pictures brought together, by classes and by pairs, its two measures."""

import sys
from unittest.mock import MagicMock

import torch

WANTING = {"datasets", "torchvision", "torchvision.datasets", "torchvision.transforms"} - set(sys.modules)
for _name in WANTING:
    sys.modules[_name] = MagicMock()  # other encoders, views and data, which nothing here needs

from relic.metrics import align_loss, uniform_loss  # noqa: E402
from relic.relic import MLPHead, ReLIC, relic_loss  # noqa: E402

for _name in WANTING:
    del sys.modules[_name]  # others look for what is installed


def _encoder():
    layers = torch.nn.Conv2d(3, 8, 3, 2), torch.nn.BatchNorm2d(8), torch.nn.ReLU(), torch.nn.AdaptiveAvgPool2d(1)
    return torch.nn.Sequential(*layers, torch.nn.Flatten())


class _Trained(torch.nn.Module):
    """What the training loop computes of two views."""

    def __init__(self, use_siglip, **options):
        super().__init__()
        self.model = ReLIC(_encoder(), mlp_out_dim=6, mlp_hidden=12, mlp_in_dim=8, **options)
        self.use_siglip = use_siglip

    def forward(self, first, second):
        o1, o2, t1, t2 = self.model(first, second)
        tau, b = self.model.tau, self.model.b
        found = [relic_loss(o, t, tau, b, 0.5, self.use_siglip)[0] for o, t in ((o1, t2), (o2, t1))]
        return (found[0] + found[1]) / 2


def _views():
    return torch.rand(4, 3, 8, 8), torch.rand(4, 3, 8, 8)


def discriminated():
    return _Trained(False), _views()


def pairs():
    return _Trained(True, init_tau=2.3, init_b=-10.0), _views()


class _Measured(torch.nn.Module):
    """Alignment and uniformity of the projections, trained as losses."""

    def __init__(self):
        super().__init__()
        self.encoder, self.head = _encoder(), MLPHead(8, 6, 12)

    def forward(self, first, second):
        x, y = (torch.nn.functional.normalize(self.head(self.encoder(view)), dim=1) for view in (first, second))
        return align_loss(x, y) + (uniform_loss(x) + uniform_loss(y)) / 2


def measured():
    return _Measured(), _views()
