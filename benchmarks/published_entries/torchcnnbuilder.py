"""Entry points of torchcnnbuilder: forecasters of fields that it builds for a size, and a convolution."""

import torch
from torchcnnbuilder.builder import Builder
from torchcnnbuilder.models import ForecasterBase


class _Forecast(torch.nn.Module):
    def __init__(self, model, loss=torch.nn.functional.l1_loss):
        super().__init__()
        self.model, self.loss = model, loss

    def forward(self, fields, wanted):
        return self.loss(self.model(fields), wanted)


def fields():
    model = ForecasterBase(input_size=[12, 12], n_layers=2, in_time_points=4, out_time_points=2)
    return _Forecast(model), (torch.rand(2, 4, 12, 12), torch.rand(2, 2, 12, 12))


def normalised_fields():
    options = {"normalization": "batchnorm", "finish_activation_function": torch.nn.ReLU()}
    model = ForecasterBase(input_size=[12, 12], n_layers=2, in_time_points=4, out_time_points=2, **options)
    return _Forecast(model), (torch.rand(2, 4, 12, 12), torch.rand(2, 2, 12, 12))


def series():
    model = ForecasterBase(input_size=[20], n_layers=2, in_time_points=4, out_time_points=2, conv_dim=1)
    return _Forecast(model), (torch.rand(2, 4, 20), torch.rand(2, 2, 20))


def classes():
    builder = Builder(input_size=[16, 16], minimum_feature_map_size=3)
    layers = builder.build_convolve_sequence(n_layers=2, in_channels=3, params={"kernel_size": 3, "stride": 2})
    channels, size = builder.conv_channels[-1], builder.conv_layers[-1]
    model = torch.nn.Sequential(layers, torch.nn.Flatten(), torch.nn.Linear(channels * size[0] * size[1], 3))
    return _Forecast(model, torch.nn.functional.cross_entropy), (torch.rand(2, 3, 16, 16), torch.tensor([0, 2]))
