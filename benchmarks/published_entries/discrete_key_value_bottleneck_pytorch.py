"""Entry points of discrete-key-value-bottleneck-pytorch: memories by the nearest keys, with a loss on them."""

import torch
from discrete_key_value_bottleneck_pytorch import DiscreteKeyValueBottleneck


class _Remembered(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.bottleneck = DiscreteKeyValueBottleneck(dim=8, dim_memory=8, num_memories=6, decay=0.9, **options)
        self.head = torch.nn.Linear(8, 3)

    def forward(self, embeds, labels):
        return torch.nn.functional.cross_entropy(self.head(self.bottleneck(embeds).mean(1)), labels)


def _embeds():
    return torch.randn(2, 10, 8), torch.tensor([0, 2])


def two_codebooks():
    return _Remembered(num_memory_codebooks=2), _embeds()


def average_of_memories():
    return _Remembered(num_memory_codebooks=2, average_pool_memories=True), _embeds()


def encoded():
    encoder = torch.nn.Sequential(torch.nn.Linear(5, 8), torch.nn.GELU())
    return _Remembered(num_memory_codebooks=2, encoder=encoder), (torch.randn(2, 10, 5), torch.tensor([0, 2]))
