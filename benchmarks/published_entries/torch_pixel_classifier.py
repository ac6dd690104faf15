"""Entry points of torch-pixel-classifier: its networks for pages, with and without attention, and their loss."""

import torch
from segmentation.model import AttentionUnet

SIZES = {"in_channels": 3, "out_channels": 4, "n_class": 3, "kernel_size": 3, "padding": 1, "stride": 1}


class _Segmented(torch.nn.Module):
    def __init__(self, network):
        super().__init__()
        self.network = network

    def forward(self, pages, labels):
        return torch.nn.functional.nll_loss(self.network(pages), labels)


def attended():
    return _Segmented(AttentionUnet(**SIZES)), (torch.rand(1, 3, 32, 32), torch.randint(3, (1, 32, 32)))


def plain():
    return AttentionUnet(**SIZES, attention=False), (torch.rand(1, 3, 32, 32),)
