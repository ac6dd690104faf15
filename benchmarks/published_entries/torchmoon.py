"""Entry points of torchmoon: its networks that find craters, with the loss of their training step."""

import torch
from torchmoon.model.cratervnet import Crater_VNet
from torchmoon.model.deepmoon import DeepMoon


class _Trained(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, images, rims):
        return self.network.step((images, rims, None))[0]


def _images():
    return torch.rand(2, 1, 32, 32), torch.randint(2, (2, 1, 32, 32)).float()


def deep_moon():
    return _Trained(DeepMoon(number_of_filter=4, filter_length=3)), _images()


def deep_moon_elu():
    return _Trained(DeepMoon(number_of_filter=4, filter_length=3, activation="elu")), _images()


def crater_vnet():
    return _Trained(Crater_VNet()), _images()
