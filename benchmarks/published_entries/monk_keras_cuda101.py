"""Entry points of monk-keras-cuda101: networks of its layers, added and concatenated, and of its activations."""

import torch
from monk.pytorch.models.layers import Net_Add, Net_Concat, custom_model_get_layer, get_layer

CONVOLUTION = {"kernel_size": 3, "stride": 1, "padding": 1, "dilation": 1, "groups": 1, "use_bias": False}
NORMAL = {"epsilon": 1e-5, "moving_average_momentum": 0.1, "use_trainable_parameters": True}


def _layers(shape, *configurations):
    """The layers of configurations, and the shape of what they give."""
    layers = []
    for name, parameters in configurations:
        layer, shape = custom_model_get_layer({"name": name, "params": parameters}, shape)
        layers.append(layer)
    return layers, shape


def _convolution(channels):
    return ("convolution2d", {"output_channels": channels, **CONVOLUTION}), ("batch_normalization", NORMAL)


class _Classified(torch.nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.model = torch.nn.Sequential(*layers)

    def forward(self, images, labels):
        return torch.nn.functional.cross_entropy(self.model(images), labels)


def _images():
    return torch.rand(4, 3, 8, 8), torch.tensor([0, 4, 2, 2])


def _merged(merge):
    first, shape = _layers((3, 8, 8), *_convolution(4), ("relu", {}))
    straight, _ = _layers(shape, *_convolution(4), ("leaky_relu", {"alpha": 0.1}), *_convolution(4))
    short, _ = _layers(shape, *_convolution(4))
    channels = 8 if merge is Net_Concat else 4
    flat, size = _layers((channels, 8, 8), ("relu", {}), ("flatten", {}))
    head, _ = _layers(size, ("fully_connected", {"units": 5, "use_bias": True}))
    return _Classified(*first, merge([straight, short]), *flat, *head), _images()


def added():
    return _merged(Net_Add)


def concatenated():
    return _merged(Net_Concat)


def head_of_transfer():
    """The layers that it appends to a network of its choice."""
    layers, features = [], 12
    for name, parameters in (
        ("linear", {"out_features": 8}),
        ("softplus", {"beta": 1.0, "threshold": 20.0}),
        ("dropout", {"p": 0.0}),
        ("linear", {"out_features": 5}),
        ("logsigmoid", {}),
    ):
        layer, features = get_layer({"name": name, "params": parameters}, features)
        layers.append(layer)
    return _Classified(*layers), (torch.randn(4, 12), torch.tensor([0, 4, 2, 2]))
