"""Entry points of dynamic-unet: blocks of its encoder and decoder in a small segmenter, with its loss of overlap."""

import torch
from dynamic_unet.decoder import DecoderConnect
from dynamic_unet.encoder import BasicBlock, Bottleneck, conv1x1
from dynamic_unet.opt import DiceLoss


class _Segmenter(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.encoder = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 3, stride=2, padding=1), BasicBlock(4, 4))
        self.decoder, self.head = DecoderConnect(4, (8, 8)), torch.nn.ConvTranspose2d(4, 3, 2, stride=2)
        self.loss = DiceLoss(**options)

    def forward(self, images, labels):
        chances = torch.softmax(self.head(self.decoder(self.encoder(images))), 1)
        return self.loss(chances, labels)


def _images():
    return torch.rand(2, 3, 16, 16), torch.randint(3, (2, 16, 16))


def segmenter():
    return _Segmenter(), _images()


def ignoring():
    return _Segmenter(ignore_index=2), _images()


def bottleneck():
    smaller = torch.nn.Sequential(conv1x1(4, 8, 2), torch.nn.BatchNorm2d(8))
    return Bottleneck(4, 2, stride=2, downsample=smaller), (torch.randn(2, 4, 8, 8),)
