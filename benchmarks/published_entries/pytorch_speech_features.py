"""Entry points of pytorch-speech-features: features of a signal, in front of a small classifier."""

import numpy
import torch
from pytorch_speech_features.base import delta, logfbank, mfcc, ssc


class _Features(torch.nn.Module):
    def __init__(self, function, **options):
        super().__init__()
        self.function, self.options = function, options

    def forward(self, signal):
        return self.function(signal, **self.options)


def _signal():
    times = torch.arange(1600, dtype=torch.double) / 16000
    return (torch.sin(2 * torch.pi * 440 * times) + 0.1 * torch.randn(1600, dtype=torch.double),)


def log_filterbank():
    return _Features(logfbank), _signal()


def log_filterbank_of_windows():
    return _Features(logfbank, nfilt=13, winfunc=numpy.hamming), _signal()


def centroids():
    return _Features(ssc), _signal()


def cepstra():
    return _Features(mfcc), _signal()


class _Classified(torch.nn.Module):
    """Frames of a signal by their features and how these change."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(52, 3, dtype=torch.double)

    def forward(self, signal, labels):
        features = logfbank(signal)
        logits = self.layer(torch.cat((features, delta(features, 2)), dim=1))
        return torch.nn.functional.cross_entropy(logits, labels)


def classified():
    return _Classified(), (*_signal(), torch.tensor([0, 0, 1, 1, 2, 2, 1, 0, 1]))
