"""Entry points of encodec: a small network of sound and its quantizer."""

import torch
from encodec.modules import SEANetDecoder, SEANetEncoder


class _Coding(torch.nn.Module):
    def __init__(self):
        super().__init__()
        options = {"dimension": 8, "n_filters": 4, "n_residual_layers": 1, "ratios": [2, 2], "lstm": 1}
        self.encoder, self.decoder = SEANetEncoder(**options), SEANetDecoder(**options)

    def forward(self, sound):
        return torch.nn.functional.l1_loss(self.decoder(self.encoder(sound)), sound)


def coding():
    return _Coding(), (torch.randn(1, 1, 64),)
