"""Entry points of macls: its classifiers of sounds from their spectra, over time and over frequencies, trained."""

import sys
import types

import torch

for _name in ("macls", "macls.models"):
    _package = sys.modules[_name] = types.ModuleType(_name)
    _package.__path__ = [_name.replace(".", "/")]

from macls.models.campplus import CAMPPlus  # noqa: E402
from macls.models.ecapa_tdnn import EcapaTdnn  # noqa: E402
from macls.models.eres2net import ERes2Net  # noqa: E402
from macls.models.resnet_se import ResNetSE  # noqa: E402
from macls.models.tdnn import TDNN  # noqa: E402


class _Trained(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, spectra, labels):
        return torch.nn.functional.cross_entropy(self.model(spectra), labels)


def _sounds():
    return torch.randn(2, 40, 16), torch.tensor([3, 0])


class _Lengths(_Trained):
    """Sounds of different lengths, as shares of the longest."""

    def forward(self, spectra, labels, lengths):
        return torch.nn.functional.cross_entropy(self.model(spectra, lengths), labels)


def ecapa():
    model = EcapaTdnn(4, 16, embd_dim=8, channels=[16, 16, 16, 16, 48], attention_channels=8, se_channels=8)
    return _Lengths(model), (*_sounds(), torch.tensor([1.0, 0.6]))


def densely():
    return _Trained(CAMPPlus(4, 16, embd_dim=16, growth_rate=4, init_channels=16)), _sounds()


def residual():
    return _Trained(ERes2Net(4, 16, num_blocks=[1, 1, 1, 1], m_channels=4, embd_dim=8)), _sounds()


def squeezed():
    layers = {"layers": [1, 1, 1, 1], "num_filters": [4, 4, 8, 8]}
    return _Trained(ResNetSE(4, 16, **layers, embd_dim=8, pooling_type="SAP")), _sounds()


def delayed():
    return _Trained(TDNN(4, 16, channels=12, embd_dim=8, pooling_type="TSP")), _sounds()
