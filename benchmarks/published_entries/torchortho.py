"""Entry points of torchortho: small networks of its learned activations."""

import torch
from torchortho import FourierActivation, HermiteActivation, TropicalActivation, TropicalRationalActivation


class _Classified(torch.nn.Module):
    def __init__(self, activation):
        super().__init__()
        self.layers = torch.nn.Sequential(torch.nn.Linear(6, 8), activation, torch.nn.Linear(8, 3))

    def forward(self, samples, labels):
        return torch.nn.functional.cross_entropy(self.layers(samples), labels)


def _samples():
    return torch.randn(4, 6), torch.tensor([0, 2, 1, 1])


def hermite():
    return _Classified(HermiteActivation(3)), _samples()


def hermite_clamped():
    return _Classified(HermiteActivation(3, clamp=True)), _samples()


def fourier():
    return _Classified(FourierActivation(6)), _samples()


def tropical():
    return _Classified(TropicalActivation(6)), _samples()


def tropical_rational():
    return _Classified(TropicalRationalActivation(6)), _samples()
