"""Entry point of gtrxl-torch: its layer that gates attention with recurrent cells, on positions it encodes."""

import torch
from gtrxl_torch.gtrxl_torch import TEL, PositionalEncoding


def gated():
    layers = (PositionalEncoding(8, dropout=0.0), TEL(8, 2, dim_feedforward=16), TEL(8, 2, dim_feedforward=16))
    return torch.nn.Sequential(*layers), (torch.randn(5, 1, 8),)
