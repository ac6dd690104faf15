"""Entry points of mmpretrain: its losses of classes, of views and of masked pictures behind few layers."""

import importlib.machinery
import sys
import types
from unittest.mock import MagicMock

import torch


class _Base(torch.nn.Module):
    """What the package takes from mmengine: a module that knows how it is initialised."""

    def __init__(self, init_cfg=None):
        super().__init__()
        self.init_cfg = init_cfg


_root = importlib.machinery.PathFinder.find_spec("mmpretrain").submodule_search_locations[0]
for _name in ("mmpretrain", "mmpretrain.models"):
    _package = sys.modules[_name] = types.ModuleType(_name)
    _package.__path__ = [_root + _name.removeprefix("mmpretrain").replace(".", "/")]
sys.modules["mmengine"] = MagicMock()
sys.modules["mmengine.dist"] = MagicMock(all_reduce=lambda tensor, op=None: tensor)  # one process, as here
sys.modules["mmengine.model"] = MagicMock(BaseModule=_Base)
_registry = sys.modules["mmpretrain.registry"] = MagicMock()  # names of classes, which nothing here needs
_registry.MODELS.register_module = lambda: lambda thing: thing

from mmpretrain.models import losses  # noqa: E402


class _Classifying(torch.nn.Module):
    def __init__(self, loss, classes=4):
        super().__init__()
        self.convolution, self.head, self.loss = torch.nn.Conv2d(3, 8, 3), torch.nn.Linear(8, classes), loss

    def forward(self, image, labels):
        return self.loss(self.head(self.convolution(image).relu().mean((2, 3))), labels)


class _Twins(torch.nn.Module):
    """Two views' embeddings and the correlation of these, as in Barlow Twins."""

    def __init__(self):
        super().__init__()
        self.encoder, self.loss = torch.nn.Linear(12, 6), losses.CrossCorrelationLoss()
        self.norm = torch.nn.BatchNorm1d(6, affine=False)

    def forward(self, first, second):
        first, second = self.norm(self.encoder(first)), self.norm(self.encoder(second))
        return self.loss(first.T @ second / first.shape[0])


class _Swapped(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder = torch.nn.Linear(12, 6)
        self.loss = losses.SwAVLoss(6, num_prototypes=5)

    def forward(self, views):
        return self.loss(torch.nn.functional.normalize(self.encoder(views), dim=1))


class _Masked(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.decoder, self.loss = torch.nn.Linear(12, 12), losses.PixelReconstructionLoss("L2")

    def forward(self, patches, mask):
        return self.loss(self.decoder(patches * (1 - mask[..., None])), patches, mask)


def _images():
    return torch.randn(4, 3, 8, 8)


def asymmetric():
    return _Classifying(losses.AsymmetricLoss()), (_images(), torch.randint(2, (4, 4)).float())


def smoothed():
    return _Classifying(losses.LabelSmoothLoss(0.1, num_classes=4)), (_images(), torch.randint(4, (4,)))


def seesaw():
    return _Classifying(losses.SeesawLoss(num_classes=4)), (_images(), torch.randint(4, (4,)))


def twins():
    return _Twins(), (torch.randn(6, 12), torch.randn(6, 12))


def swapped():
    return _Swapped(), (torch.randn(12, 12),)


def masked():
    return _Masked(), (torch.randn(2, 6, 12), torch.tensor([[1.0, 0, 1, 1, 0, 1], [0, 1, 1, 0, 1, 1]]))
