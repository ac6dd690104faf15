"""Entry points of medvision-segmentation: its losses on a small segmenter of images and of volumes."""

import sys
import types

import torch

_package = sys.modules["medvision"] = types.ModuleType("medvision")
_package.__path__ = ["medvision"]

from medvision.losses import get_loss_function  # noqa: E402


class _Segmenter(torch.nn.Module):
    def __init__(self, classes, settings, volumes=False):
        super().__init__()
        self.layer = (torch.nn.Conv3d if volumes else torch.nn.Conv2d)(1, classes, 3, padding=1)
        self.loss = get_loss_function(settings, num_classes=classes)

    def forward(self, images, labels):
        return self.loss(self.layer(images), labels)


def _images():
    return torch.rand(2, 1, 8, 8), torch.randint(3, (2, 8, 8))


def dice():
    return _Segmenter(3, {"type": "dice"}), _images()


def focal_volumes():
    return _Segmenter(2, {"type": "focal"}, True), (torch.rand(2, 1, 4, 6, 6), torch.randint(2, (2, 4, 6, 6)))


def combined():
    losses = [{"type": "dice", "weight": 0.5}, {"type": "weighted_ce", "class_weights": [0.2, 0.3, 0.5]}]
    return _Segmenter(3, {"type": "combined", "losses": losses}), _images()


def one_class():
    return _Segmenter(1, {"type": "ce"}), (torch.rand(2, 1, 8, 8), torch.randint(2, (2, 8, 8)))
