"""Entry points of g2n: layers of weights of a few bits, whole numbers and floats, below heads that are trained."""

import sys
import types

import torch

_package = sys.modules["g2n"] = types.ModuleType("g2n")  # which asks for a license
_package.__path__ = ["g2n"]

from g2n.qlinear import (  # noqa: E402
    int4_linear_class,
    int8_linear_class,
    mxfp4_linear_class,
    nf4_linear_class,
)


class _Perceptron(torch.nn.Module):
    """What was trained before is quantized; what comes after it learns."""

    def __init__(self, kind, **options):
        super().__init__()
        layers = [kind(torch.nn.Linear(64, 64), compute_dtype=torch.float32, **options) for _ in range(2)]
        self.body = torch.nn.Sequential(layers[0], torch.nn.GELU(), layers[1], torch.nn.LayerNorm(64))
        self.head = torch.nn.Linear(64, 3)

    def forward(self, rows, labels):
        return torch.nn.functional.cross_entropy(self.head(self.body(rows)), labels)


def _rows():
    return torch.randn(4, 64), torch.tensor([0, 2, 1, 1])


def eight_bits():
    return _Perceptron(int8_linear_class()), _rows()


def four_bits():
    return _Perceptron(int4_linear_class(), group=32), _rows()


def small_floats():
    return _Perceptron(mxfp4_linear_class()), _rows()


def quantiles():
    return _Perceptron(nf4_linear_class()), _rows()
