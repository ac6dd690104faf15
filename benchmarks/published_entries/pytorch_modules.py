"""Entry points of pytorch-modules: pyramids of features, blocks of mobile networks and its focal loss."""

import torch
from pytorch_modules.backbones.mini import MiniNet
from pytorch_modules.nn import Bottleneck, FocalBCELoss, SeparableConvNormAct, WSConv2d
from pytorch_modules.nn.aspp import ASPP
from pytorch_modules.nn.fpn import FPN
from pytorch_modules.nn.mb_block import MBConvBlock
from pytorch_modules.nn.spp import SPP


class _Labelled(torch.nn.Module):
    """Every class of an image by itself, under the focal loss."""

    def __init__(self, *layers):
        super().__init__()
        self.layers, self.loss = torch.nn.Sequential(*layers), FocalBCELoss()

    def forward(self, images, labels):
        return self.loss(self.layers(images).mean((2, 3)).sigmoid(), labels)


def _labels():
    return torch.tensor([[1.0, 0, 0], [0, 1, 1]])


def mobile():
    layers = MBConvBlock(4, 4, drop_rate=0.1), MBConvBlock(4, 6, ksize=5, stride=2, expand_ratio=2)
    return _Labelled(torch.nn.Conv2d(3, 4, 3), *layers, torch.nn.Conv2d(6, 3, 1)), (torch.rand(2, 3, 12, 12), _labels())


def bottleneck():
    layers = WSConv2d(3, 8, 3, padding=1), Bottleneck(8, 4, stride=2, base_width=64), torch.nn.Conv2d(16, 3, 1)
    return _Labelled(*layers), (torch.rand(2, 3, 8, 8), _labels())


def pooled():
    layers = SeparableConvNormAct(3, 6), SPP([3, 5]), torch.nn.Conv2d(18, 3, 1)
    return _Labelled(*layers), (torch.rand(2, 3, 8, 8), _labels())


class _Segmented(torch.nn.Module):
    def __init__(self, body, channels):
        super().__init__()
        self.body, self.head = body, torch.nn.Conv2d(channels, 2, 1)

    def forward(self, images, labels):
        return torch.nn.functional.cross_entropy(self.head(self.body(images)), labels)


def dilated():
    return _Segmented(ASPP(3, 6, [2, 4]), 6), (torch.rand(2, 3, 12, 12), torch.randint(2, (2, 12, 12)))


class _Pyramid(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.stages, self.pyramid = MiniNet(), FPN([512, 256, 128], 8, reps=1)

    def forward(self, images):
        return self.pyramid(self.stages(images)[:1:-1])[-1]


def pyramid():
    return _Segmented(_Pyramid(), 8), (torch.rand(2, 3, 32, 32), torch.randint(2, (2, 4, 4)))
