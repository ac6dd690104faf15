"""Entry points of torchvggish: the layers of its network on small spectrograms, with heads that tag the sound."""

import sys
import types

import torch

_package = sys.modules["torchvggish"] = types.ModuleType("torchvggish")  # its reader of sounds asks for more libraries
_package.__path__ = ["torchvggish"]

from torchvggish.torchvggish import make_layers  # noqa: E402


class _Tagged(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.features, self.head = make_layers(), torch.nn.Linear(512, 4)

    def forward(self, spectrograms, tags):
        logits = self.head(self.features(spectrograms).mean((2, 3)))
        return torch.nn.functional.binary_cross_entropy_with_logits(logits, tags)


def tagged():
    return _Tagged(), (4 * torch.randn(2, 1, 32, 32) - 2, torch.randint(2, (2, 4)).float())


def features():
    return make_layers(), (4 * torch.randn(1, 1, 32, 16) - 2,)
