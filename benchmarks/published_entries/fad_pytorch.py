"""Entry points of fad-pytorch: its networks of raw sound and of spectrograms, and the distance of embeddings."""

import sys
from unittest.mock import MagicMock

import torch

for _name in ("torchlibrosa", "torchlibrosa.stft", "torchlibrosa.augmentation", "aeiou", "aeiou.core"):
    sys.modules[_name] = MagicMock()  # spectrograms and readers of files, which nothing here needs

from fad_pytorch import pann  # noqa: E402
from fad_pytorch.fad_score import calc_mu_sigma  # noqa: E402
from fad_pytorch.sqrtm import sqrt_newton_schulz, sqrtm  # noqa: E402


class _Tagged(torch.nn.Module):
    """A network of sounds with the loss that these networks are trained with."""

    def __init__(self, network):
        super().__init__()
        self.network = network(32000, 1024, 320, 64, 50, 14000, 6)

    def forward(self, sound, wanted):
        return torch.nn.functional.binary_cross_entropy(self.network(sound)["clipwise_output"], wanted)


def _sounds():
    return torch.randn(2, 16000) * 0.1, torch.randint(2, (2, 6)).float()


def lee_11():
    return _Tagged(pann.LeeNet11), _sounds()


def dai_19():
    return _Tagged(pann.DaiNet19), _sounds()


class _Spectrogram(torch.nn.Module):
    """The blocks of Cnn6 to Cnn14 on a spectrogram, with a head of attention over time."""

    def __init__(self):
        super().__init__()
        self.first, self.second = pann.ConvBlock(1, 8), pann.ConvBlock(8, 16)
        self.head = pann.AttBlock(16, 6, activation="sigmoid")

    def forward(self, spectrogram, wanted):
        x = self.second(self.first(spectrogram, pool_type="avg"), pool_type="avg")
        clip, _, _ = self.head(x.mean(3))
        return torch.nn.functional.binary_cross_entropy(clip.clamp(0, 1), wanted)


def attention_over_time():
    return _Spectrogram(), (torch.randn(2, 1, 40, 16) * 10 - 30, torch.randint(2, (2, 6)).float())


class _Distance(torch.nn.Module):
    """The sum of `calc_score`, on embeddings that are given instead of read."""

    def __init__(self, root):
        super().__init__()
        self.embed, self.root = torch.nn.Linear(12, 6), root

    def forward(self, real, fake):
        (mean, spread), (other_mean, other_spread) = calc_mu_sigma(self.embed(real)), calc_mu_sigma(self.embed(fake))
        apart = mean - other_mean
        product = self.root(torch.matmul(spread, other_spread)).squeeze()
        return apart.dot(apart) + torch.trace(spread) + torch.trace(other_spread) - 2 * torch.trace(torch.real(product))


def frechet():
    return _Distance(sqrtm), (torch.randn(40, 12), torch.randn(40, 12) + 0.3)


def frechet_trained():
    return _Distance(sqrt_newton_schulz), (torch.randn(40, 12), torch.randn(40, 12) + 0.3)
