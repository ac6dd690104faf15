"""MLP-Mixer with stochastic depth."""

import torch
import torch.nn as nn
from jaxtyping import Float
from torch import Tensor


class Mlp(nn.Module):
    def __init__(self, dim: int, hidden: int):
        super().__init__()
        self.fc1, self.fc2 = nn.Linear(dim, hidden), nn.Linear(hidden, dim)

    def forward(self, x: Float[Tensor, "*batch dim"]) -> Float[Tensor, "*batch dim"]:
        return self.fc2(torch.nn.functional.gelu(self.fc1(x)))


class MixerBlock(nn.Module):
    def __init__(self, tokens: int, dim: int, drop: float):
        super().__init__()
        self.drop = drop
        self.norm1, self.norm2 = nn.LayerNorm(dim), nn.LayerNorm(dim)
        self.token_mlp = Mlp(tokens, tokens * 2)
        self.channel_mlp = Mlp(dim, dim * 4)

    def forward(self, x: Float[Tensor, "b tokens dim"]) -> Float[Tensor, "b tokens dim"]:
        mixed = self.token_mlp(self.norm1(x).transpose(1, 2)).transpose(1, 2)
        x = x + self._dropped(mixed)
        return x + self._dropped(self.channel_mlp(self.norm2(x)))

    def _dropped(self, x: Float[Tensor, "b tokens dim"]) -> Float[Tensor, "b tokens dim"]:
        if not self.training or self.drop == 0.0:
            return x
        keep = torch.rand(x.shape[0], 1, 1) > self.drop
        return x * keep / (1 - self.drop)


class Mixer(nn.Module):
    def __init__(self, size: int = 48, patch: int = 8, dim: int = 40, depth: int = 3, classes: int = 10):
        super().__init__()
        tokens = (size // patch) ** 2
        self.stem = nn.Conv2d(3, dim, patch, patch)
        self.blocks = nn.ModuleList(MixerBlock(tokens, dim, 0.1 * i / depth) for i in range(depth))
        self.norm, self.head = nn.LayerNorm(dim), nn.Linear(dim, classes)

    def forward(self, images: Float[Tensor, "b 3 h w"]) -> Float[Tensor, "b classes"]:
        x = self.stem(images).flatten(2).transpose(1, 2)
        for block in self.blocks:
            x = block(x)
        return self.head(self.norm(x).mean(1))


if __name__ == "__main__":
    mixer = Mixer()
    print(mixer(torch.rand(4, 3, 48, 48)).shape)
