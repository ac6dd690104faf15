"""Entry points of torchsubband: signals in bands, masked by a network, and back."""

import torch
from torchsubband import SubbandDSP


class _Waves(torch.nn.Module):
    """Bands of a signal in time."""

    def __init__(self, bands):
        super().__init__()
        self.bands = SubbandDSP(subband=bands, window_size=128, hop_size=32)
        self.layer = torch.nn.Conv1d(bands, bands, 3, padding=1)

    def forward(self, signals, wanted):
        given = self.bands.sub_to_wav(self.layer(self.bands.wav_to_sub(signals)), length=signals.shape[-1])
        return torch.nn.functional.l1_loss(given, wanted)


def _signals():
    return torch.randn(2, 1, 512), torch.randn(2, 1, 512)


def two_bands():
    return _Waves(2), _signals()


def four_bands():
    return _Waves(4), _signals()


class _Spectra(torch.nn.Module):
    """Magnitudes of bands, masked, with the phases that they had."""

    def __init__(self):
        super().__init__()
        self.bands = SubbandDSP(subband=2, window_size=128, hop_size=32)
        self.layer = torch.nn.Conv2d(2, 2, 3, padding=1)

    def forward(self, signals, wanted):
        magnitudes, cosines, sines = self.bands.wav_to_mag_phase_sub_spec(signals)
        masked = magnitudes * torch.sigmoid(self.layer(magnitudes))
        given = self.bands.mag_phase_sub_spec_to_wav(masked, cosines, sines, length=signals.shape[-1])
        return torch.nn.functional.l1_loss(given, wanted)


def masked_spectra():
    return _Spectra(), _signals()
