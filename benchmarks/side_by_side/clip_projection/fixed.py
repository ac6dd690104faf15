"""Contrastive training of an image and a text tower."""

from dataclasses import dataclass

import torch
import torch.nn as nn
import torch.nn.functional as F
from jaxtyping import Float, Int
from torch import Tensor


@dataclass
class TowerConfig:
    width: int
    layers: int
    heads: int
    embed: int = 64


class ImageTower(nn.Module):
    def __init__(self, config: TowerConfig, patch: int = 8, size: int = 32):
        super().__init__()
        self.patches = nn.Conv2d(3, config.width, patch, patch)
        self.cls = nn.Parameter(torch.zeros(1, 1, config.width))
        self.position = nn.Parameter(torch.zeros(1, (size // patch) ** 2 + 1, config.width))
        layer = nn.TransformerEncoderLayer(config.width, config.heads, 4 * config.width, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, config.layers)
        self.project = nn.Linear(config.width, config.embed, bias=False)

    def forward(self, images: Float[Tensor, "b 3 h w"]) -> Float[Tensor, "b embed"]:
        x = self.patches(images).flatten(2).transpose(1, 2)
        x = torch.cat([self.cls.expand(x.shape[0], -1, -1), x], dim=1) + self.position
        return self.project(self.encoder(x)[:, 0])


class TextTower(nn.Module):
    def __init__(self, config: TowerConfig, words: int = 400, length: int = 20):
        super().__init__()
        self.tokens = nn.Embedding(words, config.width)
        self.position = nn.Parameter(torch.zeros(length, config.width))
        layer = nn.TransformerEncoderLayer(config.width, config.heads, 4 * config.width, batch_first=True)
        self.encoder = nn.TransformerEncoder(layer, config.layers)
        self.project = nn.Linear(config.width, config.embed, bias=False)

    def forward(self, tokens: Int[Tensor, "b length"]) -> Float[Tensor, "b embed"]:
        x = self.tokens(tokens) + self.position[: tokens.shape[1]]
        x = self.encoder(x)
        ends = tokens.argmax(dim=-1)
        return self.project(x[torch.arange(x.shape[0]), ends])


class Contrastive(nn.Module):
    def __init__(self, image: TowerConfig, text: TowerConfig):
        super().__init__()
        self.image, self.text = ImageTower(image), TextTower(text)
        self.temperature = nn.Parameter(torch.tensor(2.66))

    def forward(self, images: Float[Tensor, "b 3 h w"], tokens: Int[Tensor, "b n"]) -> Float[Tensor, "b b"]:
        i = F.normalize(self.image(images), dim=-1)
        t = F.normalize(self.text(tokens), dim=-1)
        return self.temperature.exp() * i @ t.T


def contrastive_loss(logits: Float[Tensor, "b b"]) -> Float[Tensor, ""]:
    labels = torch.arange(len(logits))
    return (F.cross_entropy(logits, labels) + F.cross_entropy(logits.T, labels)) / 2


def main() -> None:
    model = Contrastive(TowerConfig(width=48, layers=2, heads=4), TowerConfig(width=32, layers=2, heads=4))
    optimizer = torch.optim.AdamW(model.parameters(), lr=5e-4)
    for _ in range(2):
        logits = model(torch.randn(6, 3, 32, 32), torch.randint(0, 400, (6, 20)))
        loss = contrastive_loss(logits)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


if __name__ == "__main__":
    main()
