"""Entry points of torch-log-wmse-audio-quality: its loss of separated sounds, on one convolution."""

import sys
from unittest.mock import MagicMock

import torch

for _name in ("torchaudio", "torchaudio.transforms", "torchaudio.functional"):
    sys.modules[_name] = MagicMock()  # resampling, which a rate of 44.1 kHz does not need

from torch_log_wmse import LogWMSE  # noqa: E402


class _Separating(torch.nn.Module):
    """Two stems of a sound in one channel."""

    def __init__(self, **options):
        super().__init__()
        self.convolution, self.loss = torch.nn.Conv1d(1, 2, 9, padding=4), LogWMSE(audio_length=0.1, **options)

    def forward(self, sound, wanted):
        return self.loss(sound, torch.tanh(self.convolution(sound))[:, None], wanted)


def _sounds(silent=False):
    wanted = 0.3 * torch.randn(2, 1, 2, 4410).clamp(-3, 3)
    if silent:
        wanted[:, :, 1] = 0.0
    return wanted.sum(2), wanted


def filtered():
    return _Separating(), _sounds()


def silent_stem():
    return _Separating(), _sounds(silent=True)


def unfiltered():
    return _Separating(bypass_filter=True), _sounds()


def summed():
    return _Separating(bypass_filter=True, reduction="sum"), _sounds()
