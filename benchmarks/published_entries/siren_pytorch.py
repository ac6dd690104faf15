"""Entry points of siren-pytorch: networks of sines."""

import torch
from siren_pytorch import SirenNet


def sines():
    return SirenNet(dim_in=2, dim_hidden=16, dim_out=3, num_layers=3, w0_initial=30.0), (torch.randn(5, 2),)
