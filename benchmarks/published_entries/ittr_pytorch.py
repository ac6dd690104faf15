"""Entry points of ittr-pytorch: its perception block and its pruned attention, with the loss of a translated image."""

import torch
from ITTR_pytorch import DPSA, HPB


class _Translating(torch.nn.Module):
    def __init__(self, block):
        super().__init__()
        self.first, self.block = torch.nn.Conv2d(3, 8, 3, padding=1), block
        self.last = torch.nn.Conv2d(8, 3, 3, padding=1)

    def forward(self, image, wanted):
        return torch.nn.functional.l1_loss(self.last(self.block(self.first(image))), wanted)


def _entry(block):
    return _Translating(block), (torch.randn(1, 3, 8, 8), torch.randn(1, 3, 8, 8))


def perception():
    return _entry(HPB(8, dim_head=8, heads=2, ff_mult=2, attn_height_top_k=4, attn_width_top_k=4))


def pruned():
    return _entry(DPSA(8, height_top_k=4, width_top_k=4, dim_head=8, heads=2))


def whole():
    return _entry(DPSA(8, dim_head=8, heads=2))
