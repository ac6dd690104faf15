"""Entry points of omninet-pytorch: attention over the tokens of all layers, with a mask and without."""

import torch
from omninet_pytorch import Omninet, OmninetCausal


def all_layers():
    return Omninet(dim=8, depth=2, dim_head=4, heads=2), (torch.randn(1, 6, 8), torch.ones(1, 6).bool())


def causal():
    return OmninetCausal(dim=8, depth=2, dim_head=4, heads=2), (torch.randn(1, 6, 8), torch.ones(1, 6).bool())
