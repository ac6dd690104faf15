"""Entry points of torch-attentions: attention to channels and places, before a classifier with its loss."""

import torch
from torch_attentions.channel import ChannelAttention
from torch_attentions.spatial import SpatialAttention


class _Classified(torch.nn.Module):
    def __init__(self, attention):
        super().__init__()
        self.convolution, self.attention = torch.nn.Conv2d(3, 8, 3, padding=1), attention
        self.head = torch.nn.Linear(8, 3)

    def forward(self, images, labels):
        hidden = self.convolution(images).relu()
        return torch.nn.functional.cross_entropy(self.head((hidden * self.attention(hidden)).mean((2, 3))), labels)


def _images():
    return torch.rand(2, 3, 8, 8), torch.tensor([0, 2])


def channels():
    return _Classified(ChannelAttention(8, reduction_ratio=4)), _images()


def places():
    return _Classified(SpatialAttention(8)), _images()
