"""Entry points of torch-conduit: its contrastive losses of embeddings that one layer gives."""

import sys
import types

import torch

# The packages around its losses ask for more libraries; the losses do without.
for _name in ("conduit", "conduit.models", "conduit.models.self_supervised"):
    sys.modules[_name] = types.ModuleType(_name)
    sys.modules[_name].__path__ = [_name.replace(".", "/")]

from conduit.models.self_supervised.loss import (  # noqa: E402
    DecoupledContrastiveLoss,
    moco_v2_loss,
    simclr_loss,
    soft_supcon_loss,
    supcon_loss,
)


class _Embedded(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.layer, self.loss = torch.nn.Linear(8, 5), loss

    def forward(self, first, second, *more):
        return self.loss(self.layer(first), self.layer(second), *more)


def _views():
    images = torch.rand(6, 8)
    return images + 0.05 * torch.randn(6, 8), images + 0.05 * torch.randn(6, 8)


def two_views():
    return _Embedded(lambda first, second: simclr_loss(first, targets=second, temperature=0.5)), _views()


def two_views_with_positives():
    return _Embedded(lambda first, second: simclr_loss(first, targets=second, dcl=False)), _views()


def memory():
    return _Embedded(lambda a, b, c: moco_v2_loss(a, positives=b, negatives=c, temperature=0.2)), (
        *_views(),
        torch.randn(7, 5),
    )


class _Normalized(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.loss = torch.nn.Linear(8, 5), DecoupledContrastiveLoss(0.1)

    def forward(self, first, second):
        first, second = (torch.nn.functional.normalize(self.layer(view), dim=1) for view in (first, second))
        return self.loss(first, second)


def decoupled():
    return _Normalized(), _views()


class _Labelled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 5)

    def forward(self, images, labels):
        return supcon_loss(self.layer(images), anchor_labels=labels, temperature=0.2)


def labelled():
    return _Labelled(), (torch.rand(6, 8), torch.tensor([0, 1, 0, 2, 1, 2]))


class _SoftlyLabelled(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(8, 5)

    def forward(self, images, labels):
        return soft_supcon_loss(self.layer(images), p1=labels, temperature=0.2)


def softly_labelled():
    labels = torch.tensor([[0.9, 0.1], [0.0, 1.0], [1.0, 0.0], [0.2, 0.8], [1.0, 0.0], [0.0, 1.0]])
    return _SoftlyLabelled(), (torch.rand(6, 8), labels)
