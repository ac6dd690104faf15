"""Entry points of torchpropel: values told as several normal distributions, under its loss."""

import torch
from torchpropel import PROPEL


class _Told(torch.nn.Module):
    """Means and spreads of each of several distributions, as its README asks for them."""

    def __init__(self, dimensions=2, parts=3, **settings):
        super().__init__()
        self.layer = torch.nn.Sequential(
            torch.nn.Linear(6, 16), torch.nn.ReLU(), torch.nn.Linear(16, parts * 2 * dimensions)
        )
        self.parts, self.dimensions, self.loss = parts, dimensions, PROPEL(**settings)

    def forward(self, rows, wanted):
        means, spreads = self.layer(rows).reshape(len(rows), self.parts, -1).chunk(2, dim=2)
        spreads = torch.nn.functional.softplus(spreads) + 0.3
        return self.loss(torch.cat([means.tanh(), spreads], dim=2), wanted)


def pairs():
    return _Told(), (torch.randn(4, 6), torch.rand(4, 2) * 2 - 1)


def values():
    return _Told(1, 4, sigma=0.2), (torch.randn(4, 6), torch.rand(4, 1) * 2 - 1)


def triples():
    return _Told(3, 2, sigma=0.3, reduction="sum"), (torch.randn(4, 6), torch.rand(4, 3) * 2 - 1)
