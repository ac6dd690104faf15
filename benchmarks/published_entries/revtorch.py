"""Entry points of revtorch: networks that run back, of rows, of images and of words, with losses."""

import torch
from revtorch import ReversibleBlock, ReversibleSequence


def _rows(width):
    return torch.nn.Sequential(torch.nn.Linear(width, width), torch.nn.Tanh(), torch.nn.Linear(width, width))


class _Rows(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = torch.nn.Linear(5, 8), torch.nn.Linear(8, 1)
        self.blocks = ReversibleSequence(torch.nn.ModuleList([ReversibleBlock(_rows(4), _rows(4)) for _ in range(2)]))

    def forward(self, rows, wanted):
        return torch.nn.functional.mse_loss(self.last(self.blocks(self.first(rows))), wanted)


def rows():
    return _Rows(), (torch.randn(6, 5), torch.randn(6, 1))


def _convolutions():
    return torch.nn.Sequential(torch.nn.Conv2d(4, 4, 3, padding=1), torch.nn.InstanceNorm2d(4), torch.nn.ReLU())


class _Images(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.last = torch.nn.Conv2d(3, 8, 3, padding=1), torch.nn.Conv2d(8, 2, 1)
        blocks = [ReversibleBlock(_convolutions(), _convolutions()) for _ in range(3)]
        self.blocks = ReversibleSequence(torch.nn.ModuleList(blocks))

    def forward(self, images, wanted):
        return torch.nn.functional.cross_entropy(self.last(self.blocks(self.first(images))), wanted)


def images():
    return _Images(), (torch.rand(2, 3, 8, 8), torch.randint(2, (2, 8, 8)))


class _Words(torch.nn.Module):
    """Attention and a perceptron for the two halves, as in reversible transformers."""

    def __init__(self):
        super().__init__()
        self.words, self.head = torch.nn.Embedding(20, 16), torch.nn.Linear(16, 3)
        layer = torch.nn.TransformerEncoderLayer(8, 2, 16, dropout=0.0, batch_first=True)
        words = torch.nn.Sequential(torch.nn.LayerNorm(8), _rows(8))
        self.blocks = ReversibleSequence(torch.nn.ModuleList([ReversibleBlock(layer, words, split_along_dim=2)]))

    def forward(self, words, labels):
        return torch.nn.functional.cross_entropy(self.head(self.blocks(self.words(words)).mean(1)), labels)


def words():
    return _Words(), (torch.tensor([[3, 7, 2, 19, 4, 8], [5, 6, 1, 9, 2, 11]]), torch.tensor([2, 0]))
