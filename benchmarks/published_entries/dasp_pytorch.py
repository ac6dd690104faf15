"""Entry points of dasp-pytorch: audio effects whose settings one layer predicts."""

import dasp_pytorch.functional as effects
import torch


class _Effect(torch.nn.Module):
    def __init__(self, effect, settings):
        super().__init__()
        self.head, self.effect = torch.nn.Linear(4, settings), effect

    def forward(self, audio, features, wanted):
        made = self.effect(audio, torch.sigmoid(self.head(features)))
        return torch.nn.functional.l1_loss(made, wanted)


def _batch(channels=1):
    return torch.rand(2, channels, 64) * 2 - 1, torch.randn(2, 4), torch.rand(2, channels, 64) * 2 - 1


def distortion():
    return _Effect(lambda audio, s: effects.distortion(audio, 16000, 24 * s[:, 0]), 1), _batch()


def compressor():
    def effect(audio, s):
        return effects.compressor(
            audio, 16000, -60 * s[:, 0], 1 + 19 * s[:, 1], 5 + 95 * s[:, 2], 5 + 95 * s[:, 3], 3 + 21 * s[:, 4], s[:, 5]
        )

    return _Effect(effect, 6), _batch()


def equalizer():
    def effect(audio, s):
        gains, frequencies, factors = 24 * s[:, :6] - 12, 20 + 7000 * s[:, 6:12], 0.1 + 5 * s[:, 12:18]
        bands = [v for i in range(6) for v in (gains[:, i], frequencies[:, i], factors[:, i])]
        return effects.parametric_eq(audio, 16000, *bands)

    return _Effect(effect, 18), _batch()
