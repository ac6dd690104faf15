"""Entry points of high-order-layers-torch: networks of its polynomials and Fourier series, layered as its own are."""

import itertools

import torch
from high_order_layers_torch.layers import (
    MaxAbsNormalization,
    MaxAbsNormalizationND,
    MaxCenterNormalization,
    high_order_convolution_layers,
    high_order_fc_layers,
)


def _layers(layer_type, normalization, **settings):
    widths, layers = [4, 6, 3], []
    for given, wanted in itertools.pairwise(widths):
        layers += [
            normalization(),
            high_order_fc_layers(layer_type, in_features=given, out_features=wanted, **settings),
        ]
    return torch.nn.Sequential(*layers[1:])


class _Trained(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, inputs, labels):
        return torch.nn.functional.cross_entropy(self.model(inputs), labels)


def _rows():
    return 2 * torch.rand(5, 4) - 1


def piecewise():
    model = _layers("continuous", MaxAbsNormalization, n=3, segments=4)
    return _Trained(model), (_rows(), torch.tensor([0, 2, 1, 1, 0]))


def discontinuous():
    return _layers("discontinuous", MaxCenterNormalization, n=3, segments=4), (_rows(),)


def fourier():
    return _layers("fourier", MaxAbsNormalization, n=5), (_rows(),)


def images():
    settings = {"in_channels": 1, "out_channels": 4, "kernel_size": 3, "segments": 2}
    conv = high_order_convolution_layers("continuous2d", n=3, **settings)
    head = torch.nn.Sequential(MaxAbsNormalizationND(), torch.nn.Flatten(), torch.nn.Linear(64, 3))
    return _Trained(torch.nn.Sequential(conv, head)), (2 * torch.rand(2, 1, 6, 6) - 1, torch.tensor([0, 2]))
