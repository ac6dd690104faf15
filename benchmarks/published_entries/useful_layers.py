"""Entry points of useful-layers: convolutional classifiers with its attention over channels and places."""

import torch
from useful_layers.blocks import ScalingBlock
from useful_layers.layers import (
    ChannelAttention2D,
    SpatialAttention2D,
    SpatialAttention3D,
    SqueezeAndExcitation2D,
    SqueezeAndExcitation3D,
)


class _Classifier(torch.nn.Module):
    def __init__(self, convolution, *layers):
        super().__init__()
        self.model = torch.nn.Sequential(convolution, torch.nn.ReLU(), *(ScalingBlock(layer) for layer in layers))
        self.output, self.loss = torch.nn.Linear(8, 4), torch.nn.CrossEntropyLoss()

    def forward(self, images, labels):
        return self.loss(self.output(self.model(images).flatten(2).mean(-1)), labels)


def _images():
    return torch.rand(2, 3, 8, 8), torch.tensor([3, 0])


def squeezed():
    return _Classifier(torch.nn.Conv2d(3, 8, 3, padding=1), SqueezeAndExcitation2D(8, reduction=4)), _images()


def channels_and_places():
    layers = ChannelAttention2D(8), SpatialAttention2D(8, kernel_size=3)
    return _Classifier(torch.nn.Conv2d(3, 8, 3, padding=1), *layers), _images()


def volumes():
    layers = SqueezeAndExcitation3D(8), SpatialAttention3D(8, kernel_size=3, batch_norm=False)
    return _Classifier(torch.nn.Conv3d(1, 8, 3, padding=1), *layers), (torch.rand(2, 1, 6, 6, 6), torch.tensor([3, 0]))
