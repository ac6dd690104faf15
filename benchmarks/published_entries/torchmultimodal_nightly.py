"""Entry points of torchmultimodal-nightly: losses of pictures and texts, on layers of either."""

import sys
from unittest.mock import MagicMock

import torch

for _name in ("iopath", "iopath.common", "iopath.common.file_io", "torchvision"):
    sys.modules[_name] = MagicMock()  # weights from afar and transforms, which nothing here needs

from torchmultimodal.modules.losses import albef, flava  # noqa: E402
from torchmultimodal.modules.losses.contrastive_loss_with_temperature import (  # noqa: E402
    ContrastiveLossWithTemperature,
)
from torchmultimodal.modules.losses.reconstruction_loss import ReconstructionLoss  # noqa: E402
from torchmultimodal.modules.losses.vqvae import CommitmentLoss  # noqa: E402


class _Pairs(torch.nn.Module):
    """Embeddings of pictures and of texts, of length one."""

    def __init__(self, loss=None):
        super().__init__()
        self.pictures, self.texts, self.loss = torch.nn.Linear(10, 8), torch.nn.Linear(6, 8), loss

    def embedded(self, pictures, texts):
        unit = torch.nn.functional.normalize
        return unit(self.pictures(pictures), dim=-1), unit(self.texts(texts), dim=-1)

    def forward(self, pictures, texts):
        return self.loss(*self.embedded(pictures, texts))


class _Masked(_Pairs):
    def forward(self, pictures, texts, mask):
        return self.loss(*self.embedded(pictures, texts), mask).loss


class _Momentum(_Pairs):
    def forward(self, pictures, texts, momentum):
        pictures, texts = self.embedded(pictures, texts)
        similarity = pictures @ texts.T / 0.07
        return albef.ImageTextContrastiveLoss()(similarity, similarity.T, momentum, momentum.T, alpha=0.4)


class _Captioning(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.loss = torch.nn.Linear(8, 20), albef.CausalLanguageModelingLoss()

    def forward(self, features, labels):
        return self.loss(labels, self.layer(features)).mean()


class _Pretraining(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.layer, self.loss = torch.nn.Linear(8, 16), loss

    def forward(self, features, labels):
        return self.loss(self.layer(features), labels).loss


class _Patches(torch.nn.Module):
    def __init__(self, **options):
        super().__init__()
        self.layer, self.loss = torch.nn.Linear(8, 12), ReconstructionLoss(**options)

    def forward(self, features, patches, mask):
        return self.loss(self.layer(features), patches, mask)


class _Committed(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.loss = torch.nn.Linear(8, 4), CommitmentLoss()

    def forward(self, features, quantized):
        return self.loss(quantized, self.layer(features))


def _pairs():
    return torch.randn(5, 10), torch.randn(5, 6)


def contrastive():
    return _Pairs(ContrastiveLossWithTemperature()), _pairs()


def contrastive_masked():
    return _Masked(flava.FLAVAGlobalContrastiveLoss()), (*_pairs(), torch.tensor([True, True, False, True, True]))


def momentum():
    return _Momentum(), (*_pairs(), 5 * torch.randn(5, 5))


def captioning():
    labels = torch.randint(0, 20, (2, 7))
    labels[1, 5:] = -100
    return _Captioning(), (torch.randn(2, 7, 8), labels)


def masked_prediction():
    labels = torch.full((2, 7), -1)
    labels[:, 1::3] = torch.randint(0, 30, (2, 2))
    return _Pretraining(flava.MaskedPredictionLoss(16, 30)), (torch.randn(2, 7, 8), labels)


def matching():
    return _Pretraining(flava.ITMLoss(16)), (torch.randn(4, 7, 8), torch.tensor([1, 0, 0, 1]))


def patches():
    return _Patches(), (
        torch.randn(2, 6, 8),
        torch.rand(2, 6, 12),
        torch.tensor([[1, 0, 1, 1, 0, 0], [0, 1, 0, 1, 0, 1]]),
    )


def commitment():
    return _Committed(), (torch.randn(6, 8), torch.randn(6, 4))
