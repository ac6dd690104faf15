"""Entry points of torchmanager-diffusion: attentions and blocks of its networks that denoise, with a loss."""

import importlib
import sys
import types

import torch

# The package manages training with another library on import; its layers do without.
for _name in ("diffusion", "diffusion.nn"):
    _package = sys.modules[_name] = types.ModuleType(_name)
    _package.__path__ = [_name.replace(".", "/")]

_attention, _conv, _embeddings = (
    importlib.import_module(f"diffusion.nn.{name}") for name in ("attention", "conv", "embeddings")
)


class _Denoised(torch.nn.Module):
    def __init__(self, block):
        super().__init__()
        self.convolution, self.block, self.head = torch.nn.Conv2d(3, 8, 1), block, torch.nn.Conv2d(8, 3, 1)

    def forward(self, images, noise):
        return torch.nn.functional.mse_loss(self.head(self.block(self.convolution(images))), noise)


def _images():
    return torch.randn(2, 3, 8, 8), torch.randn(2, 3, 8, 8)


def attention():
    return _Denoised(_attention.Attention(8, heads=2, dim_head=4)), _images()


def linear_attention():
    return _Denoised(_attention.LinearAttention(8, heads=2, dim_head=4)), _images()


def standardized_weights():
    return _Denoised(_conv.WeightStandardizedConv2d(8, 8, 3, padding=1)), _images()


class _Timed(torch.nn.Module):
    """A residual block that knows its step, from the embeddings of positions."""

    def __init__(self):
        super().__init__()
        self.times, self.block = _embeddings.SinusoidalPositionEmbeddings(8), _conv.ResnetBlock(3, 8, time_emb_dim=8)
        self.head = torch.nn.Conv2d(8, 3, 1)

    def forward(self, images, steps, noise):
        return torch.nn.functional.mse_loss(self.head(self.block(images, self.times(steps))), noise)


def timed():
    return _Timed(), (torch.randn(2, 3, 8, 8), torch.tensor([3, 40]), torch.randn(2, 3, 8, 8))
