"""Entry points of aft-pt: its attention-free layers, full, simple and local, in transformers of words and patches."""

import torch
from aft_pt import AFTFull, AFTLocal, AFTSimple
from torch import nn


class _Block(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.layer, self.norms = layer, nn.ModuleList([nn.LayerNorm(8), nn.LayerNorm(8)])
        self.forward_net = nn.Sequential(nn.Linear(8, 16), nn.GELU(), nn.Linear(16, 8))

    def forward(self, x):
        x = x + self.layer(self.norms[0](x))
        return x + self.forward_net(self.norms[1](x))


class _Words(nn.Module):
    def __init__(self, layer):
        super().__init__()
        self.words, self.places = nn.Embedding(20, 8, padding_idx=0), nn.Parameter(0.02 * torch.randn(6, 8))
        self.block, self.head = _Block(layer), nn.Linear(8, 3)

    def forward(self, words, labels):
        x, kept = self.block(self.words(words) + self.places[: words.shape[1]]), (words != 0).float()[..., None]
        return nn.functional.cross_entropy(self.head((x * kept).sum(1) / kept.sum(1)), labels)


def _sentences():
    return torch.tensor([[3, 7, 5, 9, 14], [5, 12, 11, 0, 0]]), torch.tensor([2, 0])


def full():
    return _Words(AFTFull(max_seqlen=6, dim=8, hidden_dim=12)), _sentences()


def simple():
    return _Words(AFTSimple(max_seqlen=6, dim=8, hidden_dim=4)), _sentences()


class _Patches(nn.Module):
    def __init__(self):
        super().__init__()
        self.patches = nn.Conv2d(3, 8, 4, stride=4)
        self.blocks = nn.Sequential(_Block(AFTFull(4, 8, 8)), _Block(AFTSimple(4, 8, 8)))

    def forward(self, images):
        return self.blocks(self.patches(images).flatten(2).mT).mean(1)


def patches():
    return _Patches(), (torch.rand(2, 3, 8, 8),)


def local():
    return _Block(AFTLocal(max_seqlen=6, dim=8, hidden_dim=8, s=2)), (torch.randn(2, 6, 8),)
