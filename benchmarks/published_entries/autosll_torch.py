"""Entry points of autosll-torch: its training steps without labels, with a small backbone in place of its ResNet."""

import torch
from autoSSL.models.BarlowTwins import BarlowTwins
from autoSSL.models.SimCLR import SimCLR
from autoSSL.models.SimSiam import SimSiam
from autoSSL.models.VICReg import VICReg


class _Trained(torch.nn.Module):
    def __init__(self, kind):
        super().__init__()
        self.model = kind(prjhead_dim=16)
        pooled = torch.nn.AdaptiveAvgPool2d(1)
        self.model.backbone = torch.nn.Sequential(torch.nn.Conv2d(3, 512, 3, stride=2), torch.nn.ReLU(), pooled)


class _Pairs(_Trained):
    """Two views of each image, as the training step takes them."""

    def forward(self, first, second):
        return self.model.criterion(self.model(first), self.model(second))


class _Siamese(_Trained):
    def forward(self, first, second):
        (z0, p0), (z1, p1) = self.model(first), self.model(second)
        return 0.5 * (self.model.criterion(z0, p1) + self.model.criterion(z1, p0))


def _views():
    return torch.rand(4, 3, 8, 8), torch.rand(4, 3, 8, 8)


def barlow_twins():
    return _Pairs(BarlowTwins), _views()


def contrastive():
    return _Pairs(SimCLR), _views()


def siamese():
    return _Siamese(SimSiam), _views()


def variance_and_covariance():
    return _Pairs(VICReg), _views()
