"""Entry points of torch-specinv: its measures of spectrograms as losses of a sound that one convolution makes."""

import torch
from torch_specinv.metrics import SER, SNR, spectral_convergence


class _Restored(torch.nn.Module):
    def __init__(self, measure, sign):
        super().__init__()
        self.convolution, self.measure, self.sign = torch.nn.Conv1d(1, 1, 9, padding=4), measure, sign

    def _spectrogram(self, sound):
        window = torch.hann_window(32)
        return torch.stft(sound.squeeze(1), 32, 8, window=window, return_complex=True).abs()

    def forward(self, noisy, clean):
        return self.sign * self.measure(self._spectrogram(self.convolution(noisy)), self._spectrogram(clean))


def _sounds():
    clean = torch.sin(torch.linspace(0, 40, 128)).expand(2, 1, 128).clone()
    return clean + 0.1 * torch.randn(2, 1, 128), clean


def convergence():
    return _Restored(spectral_convergence, 1), _sounds()


def signal_to_noise():
    return _Restored(SNR, -1), _sounds()


def signal_to_error():
    return _Restored(SER, -1), _sounds()
