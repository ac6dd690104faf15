"""Entry points of logavgexp-pytorch: its smooth maximum as pooling of images, volumes and sequences."""

import torch
from logavgexp_pytorch import LogAvgExp, LogAvgExp2D, LogAvgExp3D


class _Classified(torch.nn.Module):
    def __init__(self, *layers):
        super().__init__()
        self.layers = torch.nn.Sequential(*layers)

    def forward(self, inputs, labels):
        return torch.nn.functional.cross_entropy(self.layers(inputs), labels)


def images():
    pooled = LogAvgExp2D((2, 2), stride=2), torch.nn.Flatten(), torch.nn.Linear(4 * 4 * 4, 3)
    return _Classified(torch.nn.Conv2d(1, 4, 3, padding=1), *pooled), (torch.rand(2, 1, 8, 8), torch.tensor([0, 2]))


def padded_images():
    pooled = LogAvgExp2D((2, 2), stride=2, padding=1, learned_temp=False, temp=0.1), torch.nn.Flatten()
    layers = torch.nn.Conv2d(1, 4, 3, padding=1), *pooled, torch.nn.Linear(4 * 5 * 5, 3)
    return _Classified(*layers), (torch.rand(2, 1, 8, 8), torch.tensor([0, 2]))


def volumes():
    pooled = LogAvgExp3D((2, 2, 2), stride=2, learned_temp=True), torch.nn.Flatten(), torch.nn.Linear(4 * 8, 3)
    return _Classified(torch.nn.Conv3d(1, 4, 1), *pooled), (torch.rand(2, 1, 4, 4, 4), torch.tensor([0, 2]))


class _Sequences(torch.nn.Module):
    """One score a sequence, over the tokens that it has."""

    def __init__(self):
        super().__init__()
        self.layer, self.pooling = torch.nn.Linear(6, 1), LogAvgExp(dim=1, temp=0.05, learned_temp=True)

    def forward(self, tokens, mask, labels):
        scores = self.pooling(self.layer(tokens).squeeze(-1), mask=mask)
        return torch.nn.functional.binary_cross_entropy_with_logits(scores, labels)


def sequences():
    mask = torch.tensor([[True] * 5, [True] * 3 + [False] * 2])
    return _Sequences(), (torch.randn(2, 5, 6), mask, torch.tensor([0.0, 1.0]))
