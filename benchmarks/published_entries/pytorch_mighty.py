"""Entry points of pytorch-mighty: its starting models and its losses of triplets and of sparse codes."""

import sys
import types

import torch

for _name in ("mighty", "mighty.models", "mighty.loss"):
    _package = sys.modules[_name] = types.ModuleType(_name)
    _package.__path__ = [_name.replace(".", "/")]
_package.contrastive = sys.modules["mighty.loss.contrastive"] = types.SimpleNamespace(PairLossSampler=torch.nn.Module)

from mighty.loss.penalty import LossPenalty  # noqa: E402
from mighty.loss.triplet import TripletCosineLoss  # noqa: E402
from mighty.models.autoencoder import AutoencoderLinear  # noqa: E402
from mighty.models.mlp import MLP, MLPDropout  # noqa: E402


class _Coded(torch.nn.Module):
    def __init__(self, **settings):
        super().__init__()
        self.model, self.loss = AutoencoderLinear(16, 12, 8), LossPenalty(torch.nn.MSELoss(), **settings)

    def forward(self, images):
        latent, found = self.model(images)
        return self.loss(found, images, latent)


def codes():
    return _Coded(), torch.rand(4, 1, 4, 4)


def sparse_codes():
    return _Coded(lambd=0.1, latent_grad=True), torch.rand(4, 1, 4, 4)


class _Classified(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, images, classes):
        return torch.nn.functional.cross_entropy(self.model(images), classes)


def classified():
    return _Classified(MLP(16, 12, 3)), (torch.rand(4, 1, 4, 4), torch.tensor([0, 2, 1, 1]))


def classified_with_dropout():
    return _Classified(MLPDropout(16, 12, 3)), (torch.rand(4, 1, 4, 4), torch.tensor([0, 2, 1, 1]))


class _Triplets(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model, self.loss = MLP(16, 12, 6), TripletCosineLoss(margin=0.5)

    def forward(self, anchors, near, far):
        return self.loss(self.model(anchors), self.model(near), self.model(far))


def triplets():
    return _Triplets(), tuple(torch.rand(3, 4, 1, 4, 4))
