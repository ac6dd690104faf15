"""Entry points of pytorch-optimizer: its losses of masks and classes, on one convolution or layer."""

import torch
from pytorch_optimizer import loss as losses


class _Given(torch.nn.Module):
    def __init__(self, layer, loss):
        super().__init__()
        self.layer, self.loss = layer, loss

    def forward(self, features, wanted):
        return self.loss(self.layer(features), wanted)


def _masks(loss, mask=None):
    layer = torch.nn.Conv2d(3, 1, 3, padding=1)
    wanted = torch.randint(2, (2, 1, 8, 8)).float() if mask is None else mask
    return _Given(layer, loss), (torch.rand(2, 3, 8, 8), wanted)


def dice():
    return _masks(losses.DiceLoss(mode="binary"))


def jaccard():
    layer, labels = torch.nn.Conv2d(3, 4, 3, padding=1), torch.randint(4, (2, 8, 8))
    return _Given(layer, losses.JaccardLoss(mode="multiclass")), (torch.rand(2, 3, 8, 8), labels)


def tversky():
    return _masks(losses.FocalTverskyLoss(alpha=0.3, beta=0.7, gamma=0.75))


def lovasz():
    return _masks(losses.LovaszHingeLoss(), torch.randint(2, (2, 1, 8, 8)).float())


def focal():
    return _masks(losses.FocalLoss())


def focal_of_probabilities():
    layer = torch.nn.Sequential(torch.nn.Linear(6, 4), torch.nn.Sigmoid())
    return _Given(layer, losses.BCEFocalLoss()), (torch.randn(5, 6), torch.randint(2, (5, 4)).float())


def soft_f1():
    layer = torch.nn.Sequential(torch.nn.Linear(6, 4), torch.nn.Sigmoid())
    return _Given(layer, losses.SoftF1Loss()), (torch.randn(5, 6), torch.randint(2, (5, 4)).float())


def _classes(loss, labels=None):
    labels = torch.tensor([0, 3, 1, 1, 2]) if labels is None else labels
    return _Given(torch.nn.Linear(6, 4), loss), (torch.randn(5, 6), labels)


def focal_cosine():
    return _classes(losses.FocalCosineLoss())


def margins_of_rare_classes():
    return _classes(losses.LDAMLoss(num_class_list=[100, 40, 10, 2]))


def two_temperatures():
    labels = torch.nn.functional.one_hot(torch.tensor([0, 3, 1, 1, 2]), 4).float()
    return _classes(losses.BiTemperedLogisticLoss(t1=0.8, t2=1.2, label_smooth=0.1), labels)
