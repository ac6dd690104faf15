"""Entry points of nwt-pytorch: features replaced by codes of several heads, and a coder trained through them."""

import torch
from nwt_pytorch import Memcodes


def _codes(**options):
    return Memcodes(dim=16, num_codes=20, heads=4, **options)


class _Coding(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.encoder, self.codes, self.decoder = torch.nn.Linear(10, 16), _codes(**options), torch.nn.Linear(16, 10)

    def forward(self, features):
        coded, _ = self.codes(self.encoder(features))
        return torch.nn.functional.mse_loss(self.decoder(coded), features)


def codes():
    return _codes().eval(), (torch.randn(2, 7, 16),)


def coding():
    return _Coding(), (torch.randn(2, 7, 10),)


def coding_sharply():
    return _Coding(temperature=0.5), (torch.randn(2, 7, 10),)
