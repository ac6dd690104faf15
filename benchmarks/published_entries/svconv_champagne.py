"""Entry points of svconv-champagne: its convolutions scaled from place to place, in small networks."""

import torch
from svconv_champagne import SVConv2d


class _Classified(torch.nn.Module):
    def __init__(self, **settings):
        super().__init__()
        self.layer, self.head = SVConv2d(3, 6, 3, (8, 8), padding=1, **settings), torch.nn.Linear(6, 4)

    def forward(self, images, classes):
        scores = self.head(self.layer(images).relu().mean(dim=(2, 3)))
        return torch.nn.functional.cross_entropy(scores, classes)


def scaled():
    return _Classified(padding_mode="reflect"), (torch.rand(2, 3, 8, 8), torch.tensor([1, 3]))


def scaled_with_repeated_edges():
    return _Classified(padding_mode="replicate"), (torch.rand(2, 3, 8, 8), torch.tensor([1, 3]))


def plain():
    return _Classified(), (torch.rand(2, 3, 8, 8), torch.tensor([1, 3]))
