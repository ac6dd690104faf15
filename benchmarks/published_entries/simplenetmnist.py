"""Entry points of simplenetmnist: its slim network of digits, its parts, and how it is trained."""

import torch
from SimpleNetMNIST.simpnet import SimpnetBlock, SimpnetCCCP, SimpnetSlim310K


def digits():
    return SimpnetSlim310K(1, 10), (torch.rand(2, 1, 32, 32),)


class _Trained(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model = SimpnetSlim310K(1, 10)

    def forward(self, images, labels):
        return torch.nn.functional.cross_entropy(self.model(images), labels)


def loss():
    return _Trained(), (torch.rand(3, 1, 32, 32), torch.tensor([7, 0, 3]))


def block():
    return SimpnetBlock(3, 4, "gaussian"), (torch.rand(2, 3, 8, 8),)


def end():
    return SimpnetCCCP(4, 6, kernel_size=3, padding=1), (torch.rand(2, 4, 8, 8),)
