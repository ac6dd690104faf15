"""Entry points of torchradio: its radio of dense layers, trained by the bits that are received."""

import torch
from torchradio.algorithm.example import DenseRadio


class _Received(torch.nn.Module):
    """What is sent is drawn; what is received is its signal with noise."""

    def __init__(self):
        super().__init__()
        self.radio = DenseRadio(8, 2)

    def forward(self, noise):
        sent = self.radio.tx(noise.shape[1], noise.shape[0])
        given = self.radio.rx(sent.signal + noise)["bit_probabilities"]
        wanted = sent.metadata["bits"].reshape(given.shape).float()
        return torch.nn.functional.binary_cross_entropy(given, wanted)


def transmitted():
    model, noise = _Received(), 0.1 * torch.randn(2, 48, dtype=torch.complex64)
    model(noise)
    return model, (noise,)


class _Decoded(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.radio = DenseRadio(4, 2)

    def forward(self, signal, bits):
        given = self.radio.rx(torch.complex(*signal.unbind(-1)))["bit_probabilities"]
        return torch.nn.functional.binary_cross_entropy(given, bits)


def decoded():
    model, inputs = _Decoded(), (torch.randn(2, 32, 2), torch.randint(2, (2, 16)).float())
    model(*inputs)
    return model, inputs
