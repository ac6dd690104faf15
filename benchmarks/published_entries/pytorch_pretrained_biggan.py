"""Entry points of pytorch-pretrained-biggan: its generator of pictures in small, its attention, a block."""

import sys
import types
from unittest.mock import MagicMock

import torch

_package = sys.modules["pytorch_pretrained_biggan"] = types.ModuleType("pytorch_pretrained_biggan")
_package.__path__ = ["pytorch_pretrained_biggan"]
sys.modules["pytorch_pretrained_biggan.file_utils"] = MagicMock()  # weights that are fetched, which nothing here needs

from pytorch_pretrained_biggan.config import BigGANConfig  # noqa: E402
from pytorch_pretrained_biggan.model import BigGAN, GenBlock, SelfAttn  # noqa: E402

SMALL = {
    "output_dim": 64,
    "z_dim": 8,
    "class_embed_dim": 8,
    "channel_width": 4,
    "num_classes": 10,
    "layers": [(False, 16, 16), (True, 16, 8), (True, 8, 4), (True, 4, 2), (True, 2, 1)],
    "attention_layer_position": 3,
}


class _Truncated(torch.nn.Module):
    def __init__(self, truncation):
        super().__init__()
        self.model, self.truncation = BigGAN(BigGANConfig(**SMALL)), truncation
        torch.nn.init.ones_(self.model.generator.bn.weight)  # left to the weights that are fetched
        torch.nn.init.zeros_(self.model.generator.bn.bias)

    def forward(self, noise, labels):
        return self.model(noise, labels, self.truncation)


def _drawn():
    return torch.randn(2, 8).clamp(-2, 2), torch.nn.functional.one_hot(torch.tensor([3, 7]), 10).float()


def _generator(truncation):
    """As it generates: the vectors of its spectral norms, part of the weights that are fetched, have settled."""
    model = _Truncated(truncation)
    for _ in range(5):
        model(*_drawn())
    return model.eval(), _drawn()


def generated():
    return _generator(0.4)


def generated_between_statistics():
    return _generator(0.47)


def tuned():
    return _Truncated(1.0 - 1 / 50), _drawn()


def attention():
    return SelfAttn(16, eps=1e-4), (torch.randn(2, 16, 8, 8),)


class _Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.block = GenBlock(16, 8, 12, up_sample=True, eps=1e-4)

    def forward(self, x, condition):
        return self.block(x, condition, 0.5)


def block():
    return _Block(), (torch.randn(2, 16, 4, 4), torch.randn(2, 12))
