"""Entry points of continual-inference: networks composed as in its README, over whole clips and series."""

import continual as co
import torch
from torch import nn


def inverted_residual():
    block = co.Sequential(
        co.Conv3d(4, 8, kernel_size=(1, 1, 1)),
        nn.BatchNorm3d(8),
        nn.ReLU6(),
        co.Conv3d(8, 8, kernel_size=(3, 3, 3), padding=(1, 1, 1), groups=8),
        nn.ReLU6(),
        co.Conv3d(8, 4, kernel_size=(1, 1, 1)),
        nn.BatchNorm3d(4),
    )
    return co.Residual(block), (torch.randn(2, 4, 5, 6, 6),)


def _norm_relu(module, channels):
    return co.Sequential(module, nn.BatchNorm3d(channels), nn.ReLU())


def inception():
    module = co.BroadcastReduce(
        co.Conv3d(6, 4, kernel_size=1),
        co.Sequential(
            _norm_relu(co.Conv3d(6, 4, kernel_size=1), 4), _norm_relu(co.Conv3d(4, 4, kernel_size=3, padding=1), 4)
        ),
        co.Sequential(
            co.MaxPool3d(kernel_size=(1, 3, 3), padding=(0, 1, 1), stride=1),
            _norm_relu(co.Conv3d(6, 3, kernel_size=1), 3),
        ),
        reduce="concat",
    )
    return module, (torch.randn(2, 6, 5, 6, 6),)


def transformer():
    layer = co.TransformerEncoderLayerFactory(d_model=8, nhead=2, sequence_len=6, dim_feedforward=16)
    positions = co.RecyclingPositionalEncoding(8, 12)
    return co.Sequential(positions, co.TransformerEncoder(layer, num_layers=2)), (torch.randn(2, 8, 6),)


def recurrent():
    return co.Sequential(co.Conv1d(4, 6, 3), nn.ReLU(), co.GRU(6, 5)), (torch.randn(2, 4, 8),)
