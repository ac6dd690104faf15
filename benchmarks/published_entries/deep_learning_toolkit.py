"""Entry points of deep-learning-toolkit: its networks of rows and of courses, small, with an error."""

import sys
from unittest.mock import MagicMock

import torch

WANTING = {"prettytable"} - set(sys.modules)
for _name in WANTING:
    sys.modules[_name] = MagicMock()  # tables of a network's size, which nothing here needs

from dlk.nets.conv1d import ConvNet, UNetResBlock  # noqa: E402
from dlk.nets.mlp import MLPNet, MLPResNet  # noqa: E402
from dlk.nets.transformer1d import ChannelWiseTransformerNet, TransformerNet  # noqa: E402

for _name in WANTING:
    del sys.modules[_name]  # others look for what is installed


class _Fitted(torch.nn.Module):
    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, features, wanted):
        return torch.nn.functional.mse_loss(self.model(features), wanted)


def rows():
    return _Fitted(MLPNet(6, 2, hidden_layers_sizes=(16, 16), use_dropout=0.1)), (torch.randn(5, 6), torch.randn(5, 2))


def rows_with_residuals():
    model = MLPResNet(6, 2, residual_blocks_sizes=((8, 8, 16, 8), (8, 8, 16, 8)))
    return _Fitted(model), (torch.randn(5, 6), torch.randn(5, 2))


def courses():
    model = TransformerNet(12, 2, patch_size=4, embedding_size=16, attn_n_heads=(2, 2))
    return _Fitted(model), (torch.randn(3, 1, 12), torch.randn(3, 2))


def courses_by_channel():
    model = ChannelWiseTransformerNet(2, 12, 2, patch_size=4, embedding_size=16, attn_n_heads=(2, 2))
    return _Fitted(model), (torch.randn(3, 2, 12), torch.randn(3, 2))


def convolved_courses():
    model = ConvNet(2, (2, 4), (3, 3))
    return model, torch.randn(3, 2, 12)


def block():
    return UNetResBlock(4, 8, use_conv=True), torch.randn(2, 4, 12)
