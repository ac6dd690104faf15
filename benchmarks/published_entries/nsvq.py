"""Entry points of nsvq: autoencoders of vectors, images and steps, quantized by one book, in residuals and products."""

import torch
from nsvq import NSVQ, ProductNSVQ, ResidualNSVQ


class _Rows(torch.nn.Module):
    def __init__(self, quantizer):
        super().__init__()
        self.encoder, self.decoder = torch.nn.Linear(6, 4), torch.nn.Linear(4, 6)
        self.quantizer = quantizer

    def forward(self, rows):
        return torch.nn.functional.mse_loss(self.decoder(self.quantizer(self.encoder(rows))[0]), rows)


def rows():
    return _Rows(NSVQ(8, 4, verbose=False)), (torch.randn(12, 6),)


def nearest():
    return _Rows(NSVQ(8, 4, diveq=True, uniform_init=False, verbose=False)), (torch.randn(12, 6),)


class _Images(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = torch.nn.Conv2d(3, 4, 2, stride=2), torch.nn.ConvTranspose2d(4, 3, 2, stride=2)
        self.quantizer = ResidualNSVQ(8, 4, num_codebooks=3, verbose=False)

    def forward(self, images):
        given = self.encoder(images).permute(0, 2, 3, 1)
        quantized = self.quantizer(given.reshape(-1, 4))[0].view(given.shape)
        return torch.nn.functional.mse_loss(self.decoder(quantized.permute(0, 3, 1, 2)), images)


def images():
    return _Images(), (torch.rand(2, 3, 8, 8),)


class _Steps(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.decoder = torch.nn.GRU(3, 8, batch_first=True), torch.nn.Linear(8, 3)
        self.quantizer = ProductNSVQ(6, 8, num_codebooks=2, verbose=False)

    def forward(self, series):
        given = self.encoder(series)[0]
        quantized = self.quantizer(given.flatten(0, 1))[0].view(given.shape)
        return torch.nn.functional.mse_loss(self.decoder(quantized), series)


def steps():
    return _Steps(), (torch.randn(2, 10, 3),)
