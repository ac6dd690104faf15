"""Entry points of catalyst: losses of segmentation, of embeddings and of regression behind a small head."""

import torch
from catalyst.contrib import losses


class _Segmenting(torch.nn.Module):
    def __init__(self, loss, classes, activation):
        super().__init__()
        self.convolution, self.loss, self.activation = torch.nn.Conv2d(3, classes, 3, padding=1), loss, activation

    def forward(self, image, labels):
        return self.loss(self.activation(self.convolution(image)), labels)


def _masks(classes):
    return torch.randn(2, 3, 8, 8), torch.randint(2, (2, classes, 8, 8)).float()


def dice():
    return _Segmenting(losses.DiceLoss(), 2, torch.nn.Sigmoid()), _masks(2)


def jaccard():
    return _Segmenting(losses.IoULoss(), 2, torch.nn.Sigmoid()), _masks(2)


def focal_tversky():
    return _Segmenting(losses.FocalTrevskyLoss(alpha=0.7), 2, torch.nn.Sigmoid()), _masks(2)


def focal():
    return _Segmenting(losses.FocalLossBinary(), 1, torch.nn.Identity()), _masks(1)


class _Embedding(torch.nn.Module):
    def __init__(self, loss, normalized=False):
        super().__init__()
        self.encoder, self.loss, self.normalized = torch.nn.Linear(6, 4), loss, normalized

    def forward(self, x, other):
        first = self.encoder(x)
        second = self.encoder(other) if other.is_floating_point() else other
        return self.loss(torch.nn.functional.normalize(first) if self.normalized else first, second)


def _classes():
    return torch.randn(6, 6), torch.tensor([0, 0, 1, 1, 2, 2])


def _pair():
    return torch.randn(6, 6), torch.randn(6, 6)


def circle():
    return _Embedding(losses.CircleLoss(margin=0.25, gamma=256), normalized=True), _classes()


def supervised_contrastive():
    return _Embedding(losses.SupervisedContrastiveLoss(tau=0.1)), _classes()


def normalized_temperature():
    return _Embedding(losses.NTXentLoss(tau=0.1)), _pair()


def redundancy():
    return _Embedding(losses.BarlowTwinsLoss()), _pair()


def wing():
    return _Embedding(losses.WingLoss()), _pair()


def ranking():
    return _Embedding(losses.BPRLoss()), _pair()
