"""Entry points of stable-diffusion-pytorch: its encoder's sampled latents, its text layers, its denoising blocks."""

import sys
from unittest.mock import MagicMock

import torch

for _name in ("regex", "PIL", "PIL.Image"):
    sys.modules.setdefault(_name, MagicMock())  # words and pictures, which nothing here needs

from stable_diffusion_pytorch.attention import CrossAttention  # noqa: E402
from stable_diffusion_pytorch.clip import CLIPEmbedding, CLIPLayer  # noqa: E402
from stable_diffusion_pytorch.decoder import AttentionBlock, ResidualBlock  # noqa: E402
from stable_diffusion_pytorch.diffusion import (  # noqa: E402
    AttentionBlock as ContextBlock,
)
from stable_diffusion_pytorch.diffusion import (  # noqa: E402
    FinalLayer,
    SwitchSequential,
    TimeEmbedding,
)
from stable_diffusion_pytorch.diffusion import ResidualBlock as TimeBlock  # noqa: E402
from stable_diffusion_pytorch.encoder import Encoder  # noqa: E402


class _Latents(Encoder):
    """The package's encoder with smaller blocks."""

    def __init__(self):
        super(Encoder, self).__init__(
            torch.nn.Conv2d(3, 32, 3, padding=1),
            ResidualBlock(32, 32),
            torch.nn.Conv2d(32, 32, 3, stride=2),
            AttentionBlock(32),
            torch.nn.GroupNorm(32, 32),
            torch.nn.SiLU(),
            torch.nn.Conv2d(32, 8, 3, padding=1),
            torch.nn.Conv2d(8, 8, 1),
        )


class _Autoencoder(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.last = _Latents(), torch.nn.ConvTranspose2d(4, 3, 2, stride=2)

    def forward(self, image, noise):
        return torch.nn.functional.mse_loss(self.last(self.encoder(image, noise) / 0.18215), image)


class _Text(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.embedding, self.layer, self.last = CLIPEmbedding(11, 8, 6), CLIPLayer(2, 8), torch.nn.Linear(8, 11)

    def forward(self, tokens, labels):
        scores = self.last(self.layer(self.embedding(tokens)))
        return torch.nn.functional.cross_entropy(scores.flatten(0, 1), labels.flatten())


class _Denoising(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.time = TimeEmbedding(8)
        self.net = SwitchSequential(
            torch.nn.Conv2d(4, 32, 3, padding=1), TimeBlock(32, 32, n_time=32), ContextBlock(2, 16, d_context=6)
        )
        self.final = FinalLayer(32, 4)

    def forward(self, latent, context, time, noise):
        return torch.nn.functional.mse_loss(self.final(self.net(latent, context, self.time(time))), noise)


class _Context(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.attention = CrossAttention(2, 8, 6)

    def forward(self, features, context, wanted):
        return torch.nn.functional.mse_loss(self.attention(features, context), wanted)


def latents():
    return _Autoencoder(), (torch.rand(1, 3, 8, 8), torch.randn(1, 4, 4, 4))


def text():
    return _Text(), (torch.randint(11, (2, 6)), torch.randint(11, (2, 6)))


def denoising():
    inputs = torch.randn(1, 4, 4, 4), torch.randn(1, 5, 6), torch.randn(1, 8), torch.randn(1, 4, 4, 4)
    return _Denoising(), inputs


def context():
    return _Context(), (torch.randn(2, 5, 8), torch.randn(2, 4, 6), torch.randn(2, 5, 8))
