"""Entry points of auraloss: losses of sound behind one convolution."""

import auraloss
import torch


class _Cleaning(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.convolution, self.loss = torch.nn.Conv1d(1, 1, 9, padding=4), loss

    def forward(self, noisy, clean):
        return self.loss(self.convolution(noisy), clean)


def _sounds():
    return torch.randn(2, 1, 256), torch.randn(2, 1, 256)


def error_to_signal():
    return _Cleaning(auraloss.time.ESRLoss()), _sounds()


def log_cosh():
    return _Cleaning(auraloss.time.LogCoshLoss()), _sounds()


def signal_to_noise():
    return _Cleaning(auraloss.time.SNRLoss()), _sounds()


def scale_invariant():
    return _Cleaning(auraloss.time.SISDRLoss()), _sounds()


def scale_dependent():
    return _Cleaning(auraloss.time.SDSDRLoss()), _sounds()


def spectrogram():
    return _Cleaning(auraloss.freq.STFTLoss(fft_size=64, hop_size=16, win_length=64)), _sounds()
