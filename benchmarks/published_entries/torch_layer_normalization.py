"""Entry points of torch-layer-normalization: its normaliser in small networks."""

import torch
from torch_layer_normalization import LayerNormalization


class _Classified(torch.nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.layers = torch.nn.Sequential(*layers)

    def forward(self, samples, labels):
        return torch.nn.functional.cross_entropy(self.layers(samples), labels)


def normalised():
    layers = torch.nn.Linear(6, 8), LayerNormalization(normal_shape=8), torch.nn.ReLU(), torch.nn.Linear(8, 3)
    return _Classified(*layers), (torch.randn(4, 6), torch.tensor([0, 2, 1, 1]))


def without_shift():
    layers = LayerNormalization(normal_shape=6, gamma=True, beta=False, epsilon=1e-5), torch.nn.Linear(6, 3)
    return _Classified(*layers), (torch.randn(4, 6), torch.tensor([0, 2, 1, 1]))
