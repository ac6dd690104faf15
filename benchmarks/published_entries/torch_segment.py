"""Entry points of torch-segment: the blocks of its networks that segment images, with the loss of its training."""

import torch
from torch_segment.models.unet import double_convolution
from torch_segment.models.unet11 import ConvRelu, DecoderBlock


class _Segmented(torch.nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.layers, self.loss = torch.nn.Sequential(*layers, torch.nn.Conv2d(4, 3, 1)), torch.nn.CrossEntropyLoss()

    def forward(self, images, masks):
        return self.loss(self.layers(images), masks)


def _images():
    return torch.rand(2, 3, 8, 8), torch.randint(0, 3, (2, 8, 8))


def transposed():
    return _Segmented(double_convolution(3, 8), torch.nn.MaxPool2d(2), DecoderBlock(8, 8, 4)), _images()


def upsampled():
    return _Segmented(ConvRelu(3, 8), torch.nn.MaxPool2d(2), DecoderBlock(8, 8, 4, is_deconv=False)), _images()
