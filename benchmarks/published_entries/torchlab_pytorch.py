"""Entry points of torchlab-pytorch: some of its many losses on small models, and a network of its activations."""

import torch
from torchlab.activations import adaptive, classic
from torchlab.losses import losses


class _Segmenter(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.loss = torch.nn.Conv2d(1, 1, 3, padding=1), losses.FocalTverskyLoss()

    def forward(self, images, masks):
        return self.loss(self.layer(images), masks)


def focal_tversky():
    return _Segmenter(), (torch.rand(2, 1, 8, 8), torch.randint(2, (2, 1, 8, 8)))


class _Views(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.loss = torch.nn.Linear(6, 8), losses.VICRegLoss()

    def forward(self, first, second):
        return self.loss(self.layer(first), self.layer(second))


def two_views():
    return _Views(), (torch.randn(4, 6), torch.randn(4, 6))


class _Margin(torch.nn.Module):
    """Cosines between what a layer gives and a weight for each class."""

    def __init__(self):
        super().__init__()
        self.layer, self.classes = torch.nn.Linear(6, 8), torch.nn.Linear(8, 3, bias=False)
        self.loss = losses.ArcFaceLoss()

    def forward(self, features, labels):
        embedded = torch.nn.functional.normalize(self.layer(features))
        return self.loss(embedded @ torch.nn.functional.normalize(self.classes.weight).T, labels)


def margin():
    return _Margin(), (torch.randn(4, 6), torch.tensor([0, 2, 1, 1]))


def activations():
    kinds = [classic.SoftClipping(), adaptive.SMU(), classic.LogLog(), adaptive.ShiLU()]
    layers = [module for kind in kinds for module in (torch.nn.Linear(6, 6), kind)]
    return torch.nn.Sequential(*layers), (torch.randn(4, 6),)
