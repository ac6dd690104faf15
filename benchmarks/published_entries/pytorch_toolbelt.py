"""Entry points of pytorch-toolbelt: losses of segmentation and of landmarks."""

import torch
from pytorch_toolbelt import losses


class _Segmenting(torch.nn.Module):
    def __init__(self, loss, classes=1):
        super().__init__()
        self.convolution, self.loss = torch.nn.Conv2d(3, classes, 3, padding=1), loss

    def forward(self, image, labels):
        return self.loss(self.convolution(image), labels)


def _binary():
    return torch.randn(2, 3, 8, 8), (torch.rand(2, 1, 8, 8) > 0.5).float()


def _classes():
    return torch.randn(2, 3, 8, 8), torch.randint(3, (2, 8, 8))


def dice():
    return _Segmenting(losses.DiceLoss("binary")), _binary()


def jaccard():
    return _Segmenting(losses.JaccardLoss("binary")), _binary()


def focal():
    return _Segmenting(losses.BinaryFocalLoss(alpha=0.25, gamma=2)), _binary()


def focal_normalized():
    return _Segmenting(losses.BinaryFocalLoss(gamma=2, normalized=True)), _binary()


def focal_classes():
    return _Segmenting(losses.CrossEntropyFocalLoss(), 3), _classes()


def bi_tempered():
    return _Segmenting(losses.BinaryBiTemperedLogisticLoss(0.8, 1.2)), _binary()


def lovasz():
    return _Segmenting(losses.BinaryLovaszLoss(per_image=True)), _binary()


class _Landmarks(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.head, self.loss = torch.nn.Linear(6, 4), loss

    def forward(self, x, places):
        return self.loss(self.head(x), places)


def wing():
    return _Landmarks(losses.WingLoss()), (torch.randn(5, 6), torch.randn(5, 4))


def log_cosh():
    return _Landmarks(losses.LogCoshLoss()), (torch.randn(5, 6), torch.randn(5, 4))
