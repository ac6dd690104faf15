"""Entry points of pretrained-vit-pytorch: its transformer in small, over pictures and padded texts, with losses."""

import torch
from vit_pytorch.model import PositionalEmbedding1D
from vit_pytorch.transformer import Transformer


class _Classified(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, pictures, labels):
        return torch.nn.functional.cross_entropy(self.model(pictures), labels)


class _Small(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.patches = torch.nn.Conv2d(3, 16, 4, 4)
        self.places, self.head = PositionalEmbedding1D(16, 16), torch.nn.Linear(16, 4)
        self.transformer = Transformer(num_layers=2, dim=16, num_heads=2, ff_dim=32, dropout=0.1)

    def forward(self, pictures):
        hidden = self.places(self.patches(pictures).flatten(2).transpose(1, 2))
        return self.head(self.transformer(hidden).mean(1))


def small():
    return _Classified(_Small()), (torch.rand(2, 3, 16, 16), torch.tensor([3, 0]))


class _Texts(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.words, self.head = torch.nn.Embedding(20, 16), torch.nn.Linear(16, 3)
        self.transformer = Transformer(num_layers=2, dim=16, num_heads=2, ff_dim=32, dropout=0.1)

    def forward(self, words, labels):
        hidden = self.transformer(self.words(words), words != 0)
        return torch.nn.functional.cross_entropy(self.head(hidden[:, 0]), labels)


def masked():
    return _Texts(), (torch.tensor([[3, 7, 2, 9, 14], [5, 12, 0, 0, 0]]), torch.tensor([2, 0]))
