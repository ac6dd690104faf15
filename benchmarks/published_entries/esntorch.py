"""Entry points of esntorch: reservoirs of echoes with pooled states, and the layer that learns from them."""

import torch
from esntorch.core.pooling_strategy import Pooling
from esntorch.core.reservoir import DeepLayer, create_layer


class _Read(torch.nn.Module):
    """Classes of texts by one trained layer on the pooled states of a reservoir."""

    def __init__(self, layer, pooling="mean", width=12):
        super().__init__()
        self.layer, self.pooling, self.head = layer, Pooling(pooling), torch.nn.Linear(width, 3)

    def forward(self, steps, classes):
        states, lengths = self.layer(steps)
        return torch.nn.functional.cross_entropy(self.head(self.pooling(states, lengths, steps)), classes)


def _steps():
    steps = torch.randn(6, 3, 4)
    steps[4:, 1], steps[5:, 2] = 0.0, 0.0
    return steps, torch.tensor([0, 2, 1])


def _settings():
    return {"input_dim": 4, "dim": 12, "input_scaling": 0.5, "bias_scaling": 0.1, "spectral_radius": 0.9}


def recurrent():
    return _Read(create_layer("recurrent_layer", leaking_rate=0.6, sparsity=0.5, **_settings())), _steps()


def recurrent_of_uniform_weights():
    layer = create_layer("recurrent_layer", distribution="uniform", activation_function="relu", **_settings())
    return _Read(layer, "weighted"), _steps()


def linear():
    layer = create_layer("linear_layer", input_dim=4, dim=12, input_scaling=0.5)
    return _Read(layer, "last"), _steps()


def deep():
    return _Read(DeepLayer(nb_layers=2, **_settings()), width=24), _steps()
