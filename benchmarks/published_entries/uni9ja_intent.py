"""Entry points of uni9ja-intent: its classifier of what texts mean, over vectors of words."""

import sys
import types

import torch

_package = sys.modules["uni9ja_intent"] = types.ModuleType("uni9ja_intent")
_package.__path__ = ["uni9ja_intent"]

from uni9ja_intent.model import IntentClassifier  # noqa: E402


class _Trained(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model, self.loss = IntentClassifier(input_dim=30, hidden_dims=[16, 8]), torch.nn.CrossEntropyLoss()

    def forward(self, texts, meanings):
        return self.loss(self.model(texts), meanings)


def trained():
    return _Trained(), (torch.randn(4, 30), torch.tensor([0, 3, 1, 2]))


def predicted():
    return IntentClassifier().eval(), torch.randn(2, 300)
