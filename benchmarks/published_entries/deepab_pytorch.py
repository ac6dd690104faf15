"""Entry points of deepab-pytorch: residual networks with criss-cross attention, a decoder, and its focal loss."""

import sys
from unittest.mock import MagicMock

import torch

sys.modules["wandb"] = MagicMock()  # where its trainings report, which nothing here needs

from deepab_pytorch.deepab_pytorch import (  # noqa: E402
    BiLSTMEncoder,
    RecurrentCrissCrossAttention,
    ResNet1D,
    ResNet2D,
    Symmetrization,
)
from deepab_pytorch.loss import FocalLoss  # noqa: E402


class _Distances(torch.nn.Module):
    """Distances of residues, in bins, as its heads give them."""

    def __init__(self):
        super().__init__()
        self.model = torch.nn.Sequential(
            ResNet2D(4, 8, 3, 2, dilation=[1, 2]), RecurrentCrissCrossAttention(8, 8), Symmetrization()
        )
        self.loss = FocalLoss(reduction="none")

    def forward(self, pairs, bins, mask):
        given = self.model(pairs).permute(0, 2, 3, 1)
        return (self.loss(given, bins).squeeze(-1) * mask).sum() / mask.sum()


def distances():
    mask = torch.ones(2, 6, 6)
    mask[1, 4:] = mask[1, :, 4:] = 0
    return _Distances(), (torch.randn(2, 4, 6, 6), torch.randint(8, (2, 6, 6)), mask)


class _Sequence(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.model, self.head, self.loss = ResNet1D(21, 8, 5, 2), torch.nn.Linear(8, 21), FocalLoss()

    def forward(self, acids, wanted):
        return self.loss(self.head(self.model(acids).transpose(1, 2)), wanted)


def sequence():
    acids = torch.randint(21, (2, 10))
    return _Sequence(), (torch.nn.functional.one_hot(acids, 21).float().transpose(1, 2), acids)


class _Encoded(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.head = BiLSTMEncoder(23, 6), torch.nn.Linear(12, 23)

    def forward(self, acids, wanted):
        hidden, _ = self.encoder(acids)
        return torch.nn.functional.cross_entropy(self.head(hidden).flatten(0, 1), wanted.flatten(), ignore_index=22)


def language_model():
    acids = torch.randint(23, (2, 8))
    return _Encoded(), (torch.nn.functional.one_hot(acids, 23).float(), acids)
