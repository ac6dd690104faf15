"""Entry points of torchlosses: each of its losses on one layer."""

import torch
import torchlosses as losses


class _Given(torch.nn.Module):
    def __init__(self, outputs, loss, activation=None):
        super().__init__()
        self.layer, self.loss, self.activation = torch.nn.Linear(6, outputs), loss, activation or torch.nn.Identity()

    def forward(self, features, wanted):
        return self.loss(self.activation(self.layer(features)), wanted)


def focal():
    return _Given(4, losses.FocalLoss()), (torch.randn(5, 6), torch.tensor([0, 3, 1, 1, 2]))


def dice():
    return _Given(4, losses.DiceLoss()), (torch.randn(5, 6), torch.randint(2, (5, 4)))


def huber():
    return _Given(2, losses.HuberLoss(delta=0.5)), (torch.randn(5, 6), torch.randn(5, 2))


def divergence():
    wanted = torch.softmax(torch.randn(5, 4), -1)
    return _Given(4, losses.KLDivLoss(), torch.nn.LogSoftmax(-1)), (torch.randn(5, 6), wanted)


class _Pairs(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.layer, self.loss = torch.nn.Linear(6, 4), loss

    def forward(self, first, second, labels):
        return self.loss(self.layer(first), self.layer(second), labels)


def contrastive():
    labels = torch.tensor([0.0, 1, 1, 0, 1])
    return _Pairs(losses.ContrastiveLoss()), (torch.randn(5, 6), torch.randn(5, 6), labels)


def cosines():
    labels = torch.tensor([1, -1, -1, 1, -1])
    return _Pairs(losses.CosineEmbeddingLoss(0.2)), (torch.randn(5, 6), torch.randn(5, 6), labels)


class _Triplets(_Pairs):
    def forward(self, anchor, positive, negative):
        return self.loss(self.layer(anchor), self.layer(positive), self.layer(negative))


def triplets():
    return _Triplets(losses.TripletLoss()), tuple(torch.randn(5, 6) for _ in range(3))
