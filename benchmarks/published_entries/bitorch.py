"""Entry points of bitorch: its binary networks and quantized layers, with the losses that train them."""

import torch
from bitorch.layers import QConv2d, QLinear
from bitorch.layers.pact import Pact
from bitorch.models.dlrm import DLRM
from bitorch.models.lenet import LeNet
from bitorch.models.quicknet import QuickNet


class _Classified(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, images, labels):
        return torch.nn.functional.cross_entropy(self.network(images), labels)


def _images(channels=1, size=28):
    return torch.rand(2, channels, size, size), torch.tensor([0, 3])


def le_net():
    return _Classified(LeNet([2, 1, 28, 28], num_classes=4)), _images()


def le_net_of_dorefa():
    return _Classified(LeNet([2, 1, 28, 28], num_classes=4, lenet_version=1)), _images()


def quick_net():
    network = QuickNet([2, 3, 32, 32], section_filters=[8, 16], section_blocks=[1, 1], num_classes=4)
    return _Classified(network), _images(3, 32)


class _Recommended(torch.nn.Module):
    """As its example trains the network on clicks."""

    def __init__(self):
        super().__init__()
        sizes = {"bottom_mlp_layer_sizes": [8], "top_mlp_layer_sizes": [8, 1], "embedding_dimension": 4}
        self.network = DLRM(3, [10, 6], interaction_operation="concat", **sizes)

    def forward(self, dense, indices, offsets, clicks):
        given = self.network(dense, (indices, offsets)).squeeze(1)
        return torch.nn.functional.binary_cross_entropy(given, clicks)


def recommended():
    indices, offsets = torch.randint(0, 6, (2, 4)), torch.arange(4).repeat(2, 1)
    return _Recommended(), (torch.randn(4, 3), indices, offsets, torch.tensor([0.0, 1.0, 1.0, 0.0]))


def quantized_layers():
    layers = (
        QConv2d(3, 8, kernel_size=3, input_quantization="approxsign", weight_quantization="sign"),
        torch.nn.BatchNorm2d(8),
        Pact(bits=4),
        torch.nn.Flatten(),
        QLinear(8 * 6 * 6, 4, input_quantization="swishsign", weight_quantization="weightdorefa"),
    )
    return _Classified(torch.nn.Sequential(*layers)), _images(3, 8)
