"""Entry points of nn-torch: networks of pictures, and pyramids of features on them."""

import torch
from nn_torch.cv.models.fpn import FPN, MobileNetV3LargeBackbone, ResNet34Backbone
from nn_torch.cv.models.mobilenet import MobileNetV3Large
from nn_torch.cv.models.resnet import ResNet34


class _Classifying(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = ResNet34(class_num=6)

    def forward(self, pictures, labels):
        return torch.nn.functional.cross_entropy(self.model(pictures), labels)


def classes():
    return _Classifying(), (torch.rand(2, 3, 64, 64), torch.tensor([1, 4]))


def pyramid():
    return FPN(ResNet34Backbone(ResNet34()), features_num=4, out_channels=16), (torch.rand(1, 3, 64, 64),)


def mobile_pyramid():
    body = MobileNetV3LargeBackbone(MobileNetV3Large())
    return FPN(body, features_num=5, out_channels=16), (torch.rand(2, 3, 64, 64),)
