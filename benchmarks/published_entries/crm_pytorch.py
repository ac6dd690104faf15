"""Entry points of crm-pytorch: complex ratio masks of one layer, and the error of what they leave."""

import torch
from CRM_pytorch import ComplexRatioMask


class _Masked(torch.nn.Module):
    def __init__(self, mode):
        super().__init__()
        self.real, self.imaginary, self.mask = torch.nn.Linear(6, 6), torch.nn.Linear(6, 6), ComplexRatioMask(mode)

    def forward(self, real, imaginary, clean_real, clean_imaginary):
        masks = self.real(real), self.imaginary(imaginary)
        a, b = self.mask(real, imaginary, *masks, return_real_imag=True)
        return ((a - clean_real) ** 2 + (b - clean_imaginary) ** 2).mean()


def _entry(mode):
    return _Masked(mode), tuple(torch.randn(4, 6) for _ in range(4))


def polar():
    return _entry("E")


def cartesian():
    return _entry("C")


def real():
    return _entry("R")
