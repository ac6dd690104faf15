"""Entry points of torchsr: small networks of its kinds that enlarge pictures, with the usual loss."""

import sys
import types
from unittest.mock import MagicMock

import torch

for _name in ("torchvision", "torchvision.transforms", "torchvision.transforms.functional", "PIL"):
    sys.modules.setdefault(_name, MagicMock())  # pictures from files, which nothing here needs
_package = sys.modules["torchsr"] = types.ModuleType("torchsr")
_package.__path__ = ["torchsr"]

from torchsr.models.edsr import EDSR  # noqa: E402
from torchsr.models.ninasr import NinaSR  # noqa: E402
from torchsr.models.rcan import RCAN  # noqa: E402
from torchsr.models.rdn import RDN  # noqa: E402


class _Larger(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, image, wanted):
        return torch.nn.functional.l1_loss(self.model(image), wanted)


def _entry(model, size=6):
    return _Larger(model), (torch.rand(1, 3, size, size), torch.rand(1, 3, 2 * size, 2 * size))


def ninasr():
    return _entry(NinaSR(1, 8, 2), size=16)


def rcan():
    return _entry(RCAN(1, 1, 8, 4, 2))


def rdn():
    return _entry(RDN(2, 4, 1, 2, 4))


def edsr():
    return _entry(EDSR(1, 8, 2, 1))
