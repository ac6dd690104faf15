"""Entry points of padertorch: losses of separated speakers, on one layer."""

import sys
from unittest.mock import MagicMock

import torch

for _name in (
    "paderbox",
    "paderbox.utils",
    "paderbox.utils.nested",
    "paderbox.utils.mapping",
    "paderbox.array",
    "paderbox.io",
    "paderbox.io.new_subdir",
):
    sys.modules[_name] = MagicMock()  # folders and files, which nothing here needs

from padertorch.ops import losses  # noqa: E402


class _Separating(torch.nn.Module):
    """Two speakers that a convolution makes of one signal."""

    def __init__(self, loss, **options):
        super().__init__()
        self.convolution, self.loss, self.options = torch.nn.Conv1d(1, 2, 9, padding=4), loss, options

    def forward(self, signal, wanted):
        given = torch.tanh(self.convolution(signal[None, None])[0])
        return self.loss(given, wanted, **self.options)


def _speakers():
    wanted = 0.3 * torch.randn(2, 200)
    return wanted.sum(0), wanted


class _Clustering(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(6, 4)

    def forward(self, features, masks):
        embedded = torch.nn.functional.normalize(self.layer(features), dim=-1)
        return losses.deep_clustering_loss(embedded, masks)


class _Encoding(torch.nn.Module):
    """How far Gaussians that a layer gives are from those of a few components."""

    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(6, 8)
        self.means = torch.nn.Parameter(torch.randn(3, 4))

    def forward(self, features):
        mean, scale = self.layer(features).chunk(2, -1)
        given = torch.distributions.Normal(mean, torch.nn.functional.softplus(scale) + 1e-3)
        wanted = torch.distributions.Normal(self.means, torch.ones_like(self.means))
        return losses.kl_divergence.gaussian_kl_divergence(given, wanted).min(-1)[0].mean()


def logarithmic():
    return _Separating(losses.log_mse_loss), _speakers()


def logarithmic_of_one_more():
    return _Separating(losses.log1p_mse_loss), _speakers()


def distortion():
    return _Separating(losses.sdr_loss), _speakers()


def distortion_softly_bounded():
    return _Separating(losses.sdr_loss, soft_sdr_max=20), _speakers()


def distortion_of_any_scale():
    return _Separating(losses.si_sdr_loss, offset_invariant=True), _speakers()


def distortion_of_all_speakers():
    return _Separating(losses.source_aggregated_sdr_loss), _speakers()


def permuted():
    return _Separating(losses.pit_loss, axis=0, loss_fn=losses.sdr_loss), _speakers()


def clustering():
    masks = torch.nn.functional.one_hot(torch.tensor([0, 1, 1, 0, 1, 0, 0, 1]), 2).float()
    return _Clustering(), (torch.randn(8, 6), masks)
