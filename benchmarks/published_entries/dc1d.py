"""Entry points of dc1d: convolutions of steps whose taps move, packed, modulated and given, with its normalizations."""

import torch
from dc1d.nn import DeformConv1d, PackedDeformConv1d, cLN, gLN


class _Classified(torch.nn.Module):
    def __init__(self, norm, **options):
        super().__init__()
        self.first = PackedDeformConv1d(3, 6, 5, padding="same", **options)
        self.norm, self.head = norm, torch.nn.Linear(6, 4)

    def normalised(self, given):
        if isinstance(self.norm, gLN):  # which has the channels last
            return self.norm(given.transpose(1, 2)).transpose(1, 2)
        return self.norm(given)

    def forward(self, series, labels):
        given = torch.relu(self.normalised(self.first(series)))
        return torch.nn.functional.cross_entropy(self.head(given.mean(2)), labels)


def _series():
    return torch.randn(2, 3, 20), torch.tensor([3, 0])


def packed():
    return _Classified(gLN(6)), _series()


def modulated():
    return _Classified(torch.nn.GroupNorm(2, 6), modulated=True, offset_groups=3, unconstrained=True), _series()


class _Denoiser(torch.nn.Module):
    """Offsets of a convolution of their own move the taps of the other."""

    def __init__(self):
        super().__init__()
        self.first, self.offsets = torch.nn.Conv1d(1, 4, 3, padding=1), torch.nn.Conv1d(4, 3, 1)
        self.moved = DeformConv1d(4, 4, 3, padding="same", dilation=2)
        self.norm, self.last = cLN(4), torch.nn.Conv1d(4, 1, 1)

    def forward(self, noisy, clean):
        given = torch.relu(self.first(noisy))
        offsets = self.offsets(given).transpose(1, 2)[:, None]
        given = self.norm(self.moved(given, offsets).transpose(1, 2)).transpose(1, 2)
        return torch.nn.functional.mse_loss(self.last(given), clean)


def denoiser():
    clean = torch.sin(torch.linspace(0, 12, 24)).repeat(2, 1, 1)
    return _Denoiser(), (clean + 0.1 * torch.randn(2, 1, 24), clean)
