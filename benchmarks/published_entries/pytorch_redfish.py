"""Entry points of pytorch-redfish: losses against what a network's own outputs are drawn to."""

import torch
from pytorch_redfish.utils import MCLoss


class _Drawn(torch.nn.Module):
    def __init__(self, loss, outputs):
        super().__init__()
        self.layer, self.loss = torch.nn.Linear(6, outputs), MCLoss(loss)

    def forward(self, features):
        return self.loss(self.layer(features))


def classes():
    return _Drawn(torch.nn.CrossEntropyLoss(), 4), (torch.randn(5, 6),)


def values():
    return _Drawn(torch.nn.MSELoss(), 2), (torch.randn(5, 6),)
