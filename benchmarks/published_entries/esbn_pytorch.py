"""Entry points of esbn-pytorch: answers about a sequence of images from bound symbols, with their loss."""

import torch
from esbn_pytorch import ESBN


class _Answering(torch.nn.Module):
    def __init__(self, encoder):
        super().__init__()
        self.model = ESBN(value_dim=4, key_dim=4, hidden_dim=6, output_dim=3, encoder=encoder)

    def forward(self, images, labels):
        return torch.nn.functional.cross_entropy(self.model(images)[-1], labels)


def images():
    return _Answering(None), (torch.randn(3, 2, 3, 32, 32), torch.randint(3, (2,)))


def vectors():
    encoder = torch.nn.Sequential(torch.nn.Linear(5, 4), torch.nn.ReLU())
    return _Answering(encoder), (torch.randn(3, 2, 5), torch.randint(3, (2,)))
