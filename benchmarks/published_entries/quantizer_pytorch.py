"""Entry points of quantizer-pytorch: its codebooks and bits between the layers of small autoencoders."""

import torch
from quantizer_pytorch import Quantizer1d, QuantizerChannelwise1d
from quantizer_pytorch.quantizer import MQ1d, QBit1d


class _Coded(torch.nn.Module):
    def __init__(self, quantizer, channels=8):
        super().__init__()
        self.encoder, self.decoder = (
            torch.nn.Conv1d(2, channels, 3, padding=1),
            torch.nn.Conv1d(channels, 2, 3, padding=1),
        )
        self.quantizer = quantizer

    def forward(self, signals):
        given, info = self.quantizer(self.encoder(signals))
        loss = torch.nn.functional.mse_loss(self.decoder(given), signals)
        return loss + 0.25 * info["loss"] if "loss" in info else loss


def _signals():
    return (torch.randn(2, 2, 8),)


def codebook():
    return _Coded(Quantizer1d(channels=8, num_groups=1, codebook_size=16).eval()), _signals()


def residual_codebooks():
    return _Coded(Quantizer1d(channels=8, num_groups=2, codebook_size=16, num_residuals=2).eval()), _signals()


def channels():
    quantizer = QuantizerChannelwise1d(channels=8, split_size=4, num_groups=1, codebook_size=16)
    return _Coded(quantizer.eval()), _signals()


def memory():
    return _Coded(MQ1d(channels=8, codebook_size=16, num_overlaps=2, temperature=1.0)), _signals()


def bits():
    return _Coded(QBit1d(channels=8, num_bits=4, num_layers=2, temperature=1.0)), _signals()
