"""Entry points of pytorch-vision-utils: its narrow MobileNet with a loss, and parts of its larger networks."""

import torch
from pytorch_vision_utils.custom_models.mobilenetv2 import MobileNetV2
from pytorch_vision_utils.custom_models.senet import SEBottleneck
from pytorch_vision_utils.custom_models.vggm import SpatialCrossMapLRN


class _Classified(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.network = MobileNetV2(num_classes=4, input_size=32, width_mult=0.25)

    def forward(self, images, labels):
        return torch.nn.functional.cross_entropy(self.network(images), labels)


def mobile():
    return _Classified(), (torch.rand(2, 3, 32, 32), torch.tensor([0, 3]))


def responses():
    layers = (torch.nn.Conv2d(3, 8, 3), torch.nn.ReLU(), SpatialCrossMapLRN(5, 0.0005, 0.75, 2))
    return torch.nn.Sequential(*layers, torch.nn.Conv2d(8, 2, 3)), (torch.rand(2, 3, 12, 12),)


def excited():
    return SEBottleneck(16, 4, groups=1, reduction=4), (torch.rand(2, 16, 8, 8),)
