"""Entry points of nn-torch: its residual and mobile networks, and pyramids of features on top of them."""

import torch
from nn_torch.cv.models.fpn import FPN, MobileNetV3LargeBackbone, ResNet34Backbone
from nn_torch.cv.models.mobilenet import Block, Hswish, MobileNetV3Large, MobileNetV3Small, SeModule
from nn_torch.cv.models.resnet import ResidualBlock, ResNet34


def blocks():
    layers = ResidualBlock(4, 8, first_stride=2), Block(3, 8, 16, 12, Hswish(), SeModule(12), 1)
    return torch.nn.Sequential(*layers), (torch.rand(2, 4, 16, 16),)


def mobile():
    return MobileNetV3Small(10).eval(), (torch.rand(1, 3, 224, 224),)


def residual_pyramid():
    pyramid = FPN(ResNet34Backbone(ResNet34(10)), features_num=4, out_channels=16)
    return pyramid.eval(), (torch.rand(1, 3, 64, 64),)


def mobile_pyramid():
    pyramid = FPN(MobileNetV3LargeBackbone(MobileNetV3Large(10)), features_num=5, out_channels=16)
    return pyramid, (torch.rand(2, 3, 64, 64),)
