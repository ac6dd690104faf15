"""Entry points of torch-vggish-yamnet: its networks over spectra of sounds, and the parts that they stack."""

import sys
import types

import torch

for _name in ("torch_vggish_yamnet", "torch_vggish_yamnet.vggish", "torch_vggish_yamnet.yamnet"):
    _package = sys.modules[_name] = types.ModuleType(_name)
    _package.__path__ = [_name.replace(".", "/")]

from torch_vggish_yamnet.vggish.model import VGGish  # noqa: E402
from torch_vggish_yamnet.yamnet.model import Conv, SeparableConv, YAMNet  # noqa: E402


class _Classified(torch.nn.Module):
    def __init__(self, model, *head):
        super().__init__()
        self.model, self.head = model, torch.nn.Sequential(*head)

    def forward(self, spectra, classes):
        given = self.model(spectra)
        scores = self.head(given[1] if isinstance(given, tuple) else given)
        return torch.nn.functional.binary_cross_entropy_with_logits(scores, classes)


def sounds():
    return _Classified(YAMNet()), (torch.randn(2, 1, 32, 32), (torch.rand(2, 521) < 0.01).float())


def features():
    head = torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(512, 4)
    return _Classified(VGGish.make_layers(), *head), (torch.randn(2, 1, 32, 16), torch.eye(4)[:2])


def parts():
    layers = Conv([3, 3], 2, 1, 6), SeparableConv([3, 3], 1, 6, 8)
    head = torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(8, 4)
    return _Classified(torch.nn.Sequential(*layers), *head), (torch.randn(2, 1, 17, 16), torch.eye(4)[:2])
