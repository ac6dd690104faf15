"""Entry points of self-projection: its projection of matrices onto smaller ones, in small networks."""

import sys
from unittest.mock import MagicMock

import torch

WANTING = {"matplotlib", "matplotlib.pyplot"} - set(sys.modules)
for _name in WANTING:
    sys.modules[_name] = MagicMock()  # drawings, which nothing here needs

from self_projection import SelfProjection  # noqa: E402

for _name in WANTING:
    del sys.modules[_name]  # others look for what is installed


class _Classified(torch.nn.Module):
    def __init__(self, **settings):
        super().__init__()
        self.model, self.head = SelfProjection([8, 8], 4, **settings), torch.nn.Linear(16, 3)

    def forward(self, images, classes):
        return torch.nn.functional.cross_entropy(self.head(self.model(images).flatten(1)), classes)


def _images():
    return torch.rand(2, 8, 8), torch.tensor([0, 2])


def projected():
    return _Classified(), _images()


def projected_twice():
    return _Classified(depth=2, scale_and_bias=True, activation=torch.tanh), _images()


def standardized():
    return _Classified(standardize_output=True), _images()


def kept_distribution():
    return _Classified(preserve_distribution=True), _images()
