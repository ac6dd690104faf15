"""Entry points of mobileone-pytorch: a small network of its blocks, with a loss."""

import torch
from mobileone_pytorch import _mobileone_network as networks


class _Classified(torch.nn.Module):
    def __init__(self, ks):
        super().__init__()
        self.network = networks.MobileOneNetwork(
            ks=ks, out_channels=[8, 8], num_blocks=[1, 2], strides=[2, 2], num_classes=3
        )

    def forward(self, pictures, labels):
        return torch.nn.functional.cross_entropy(self.network(pictures), labels)


def network():
    return _Classified([2, 2]), (torch.randn(2, 3, 16, 16), torch.tensor([0, 2]))


def evaluated():
    return _Classified([1, 1]).eval(), (torch.randn(2, 3, 16, 16), torch.tensor([0, 2]))
