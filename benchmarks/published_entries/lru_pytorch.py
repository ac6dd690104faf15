"""Entry points of lru-pytorch: linear recurrences of complex numbers."""

import torch
from LRU_pytorch import LRU


def recurrence():
    return LRU(6, 3, 5), (torch.randn(2, 7, 6),)
