"""Entry points of torchscriptworld: envelopes and aperiodicities of a voice, and envelopes of a layer in code."""

import math

import torch
from torchscriptworld import _codec
from torchscriptworld._core import World

RATE = 16000


def _voice():
    pitch = torch.linspace(140.0, 180.0, 4000)
    phase = 2 * math.pi * torch.cumsum(pitch, 0) / RATE
    sound = sum(torch.sin(k * phase) / k for k in range(1, 8)) + 0.01 * torch.randn(4000)
    times = torch.arange(51) * 0.005
    return 0.3 * sound[None], torch.linspace(140.0, 180.0, 51)[None], times


class _Envelope(torch.nn.Module):
    """A layer on what is left of an envelope when it is coded in few numbers."""

    def __init__(self):
        super().__init__()
        self.world, self.head = World(), torch.nn.Linear(24, 3)

    def forward(self, sound, pitch, times):
        envelope = self.world.cheaptrick(sound, pitch, times, RATE)
        return self.head(_codec.code_spectral_envelope(envelope, RATE, 24))


def envelope():
    return _Envelope(), _voice()


class _Aperiodicity(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.world, self.head = World(), torch.nn.Linear(513, 2)

    def forward(self, sound, pitch, times):
        return self.head(self.world.d4c(sound, pitch, times, RATE, fft_size=1024))


def aperiodicity():
    return _Aperiodicity(), _voice()


class _Decoded(torch.nn.Module):
    """What a layer changes of an envelope in code, against what is wanted of its logarithm."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(6, 24)

    def forward(self, coded, hidden, wanted):
        given = _codec.decode_spectral_envelope(coded + 0.1 * self.layer(hidden), RATE, 1024)
        return torch.nn.functional.mse_loss(torch.log(given), torch.log(wanted))


def decoded():
    wanted = torch.exp(-4.0 * torch.rand(1, 5, 513) - 3.0)
    return _Decoded(), (_codec.code_spectral_envelope(wanted, RATE, 24), torch.randn(1, 5, 6), wanted)
