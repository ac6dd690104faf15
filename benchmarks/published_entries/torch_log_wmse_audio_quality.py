"""Entry points of torch-log-wmse-audio-quality: its loss of sounds taken apart into stems by one convolution."""

import sys
from unittest.mock import MagicMock

import torch

WANTING = {"torchaudio", "torchaudio.transforms"} - set(sys.modules)
for _name in WANTING:
    sys.modules[_name] = MagicMock()  # another rate of samples, which nothing here needs

from torch_log_wmse import LogWMSE  # noqa: E402

for _name in WANTING:
    del sys.modules[_name]  # others look for what is installed


class _Separated(torch.nn.Module):
    def __init__(self, stems, **options):
        super().__init__()
        self.layer = torch.nn.Conv1d(1, stems, 9, padding=4)
        self.loss = LogWMSE(audio_length=0.05, sample_rate=44100, **options)

    def forward(self, mixture, stems):
        return self.loss(mixture, self.layer(mixture).unsqueeze(1), stems)


def _sounds(stems):
    apart = 0.1 * torch.randn(2, 1, stems, 2205)
    return apart.sum(2), apart


def weighted():
    return _Separated(2), _sounds(2)


def unweighted():
    return _Separated(2, bypass_filter=True), _sounds(2)


def silent_stem():
    mixture, stems = _sounds(2)
    stems[0, :, 1] = 0
    return _Separated(2, reduction="sum"), (mixture, stems)
