"""Entry points of torchflare: its losses on a layer's logits and embeddings."""

import sys
import types

import torch

_package = sys.modules["torchflare"] = types.ModuleType("torchflare")
_package.__path__ = ["torchflare"]

from torchflare.criterion import FocalCosineLoss, FocalLoss, SymmetricCE, TripletLoss  # noqa: E402
from torchflare.criterion.focal_loss import BCEFocalLoss  # noqa: E402


class _Trained(torch.nn.Module):
    def __init__(self, loss, size):
        super().__init__()
        self.model = torch.nn.Sequential(torch.nn.Linear(8, 16), torch.nn.ReLU(), torch.nn.Linear(16, size))
        self.loss = loss

    def forward(self, x, targets):
        return self.loss(self.model(x), targets)


def _classes():
    return torch.randn(12, 8), torch.randint(0, 5, (12,))


def symmetric():
    return _Trained(SymmetricCE(num_classes=5), 5), _classes()


def focal():
    return _Trained(FocalLoss(gamma=2), 5), _classes()


def binary_focal():
    return _Trained(BCEFocalLoss(gamma=2), 3), (torch.randn(12, 8), torch.randint(0, 2, (12, 3)).float())


def focal_cosine():
    return _Trained(FocalCosineLoss(), 5), _classes()


def triplet():
    return _Trained(TripletLoss(margin=0.3), 6), (torch.randn(12, 8), torch.arange(12) % 4)


def weighted_triplet():
    loss = TripletLoss(normalize_features=False, margin=0.3, hard_mining=False)
    return _Trained(loss, 6), (torch.randn(12, 8), torch.arange(12) % 4)
