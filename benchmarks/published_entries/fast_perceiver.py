"""Entry points of fast-perceiver: images as it feeds them in, with its encodings of places, attended and of fields."""

import sys
import types

import torch

_package = sys.modules["fast_perceiver"] = types.ModuleType("fast_perceiver")  # whose perceiver needs a GPU
_package.__path__ = ["fast_perceiver"]

from fast_perceiver.adapters import ImageAdapter  # noqa: E402
from fast_perceiver.utils.encodings import GaussianFourierFeatureTransform, NeRFPositionalEncoding  # noqa: E402


class _Perceived(torch.nn.Module):
    """A few latents attend to the image."""

    def __init__(self, adapter):
        super().__init__()
        self.adapter, self.latents = adapter, torch.nn.Parameter(0.1 * torch.randn(4, 16))
        self.attention, self.head = torch.nn.MultiheadAttention(16, 2, batch_first=True), torch.nn.Linear(16, 3)

    def forward(self, images, labels):
        given, latents = self.adapter(images), self.latents.expand(len(images), -1, -1)
        latents = latents + self.attention(latents, given, given, need_weights=False)[0]
        return torch.nn.functional.cross_entropy(self.head(latents.mean(1)), labels)


def pixels():
    adapter = ImageAdapter(16, 3, pos_encoding=NeRFPositionalEncoding(2, 4))
    return _Perceived(adapter), (torch.rand(2, 3, 6, 8), torch.tensor([2, 0]))


def patches():
    encoding = GaussianFourierFeatureTransform(2, 8, is_trainable=True, seed=1)
    adapter = ImageAdapter(16, 1, pos_encoding=encoding, patch_size=(4, 4), channel_first=False)
    return _Perceived(adapter), (torch.rand(2, 8, 12, 1), torch.tensor([1, 0]))


class _Field(torch.nn.Module):
    """Colours by places."""

    def __init__(self):
        super().__init__()
        encoding = GaussianFourierFeatureTransform(2, 16, sigma=2.0)
        layers = torch.nn.Linear(16, 16), torch.nn.ReLU(), torch.nn.Linear(16, 3), torch.nn.Sigmoid()
        self.model = torch.nn.Sequential(encoding, *layers)

    def forward(self, places, colours):
        return torch.nn.functional.mse_loss(self.model(places), colours)


def field():
    return _Field(), (torch.rand(10, 2) * 2 - 1, torch.rand(10, 3))
