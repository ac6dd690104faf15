"""Entry points of torchmultimodal-nightly: its losses of pictures with texts on one layer, its codes and fusions."""

import sys
import types

import torch

_package = sys.modules["torchmultimodal"] = types.ModuleType("torchmultimodal")
_package.__path__ = ["torchmultimodal"]
_package._PATH_MANAGER = None  # files that are fetched, which nothing here needs

from torchmultimodal.modules.fusions.attention_fusion import AttentionFusionModule  # noqa: E402
from torchmultimodal.modules.layers.codebook import Codebook  # noqa: E402
from torchmultimodal.modules.layers.normalizations import RMSNorm, SimpleRMSNorm  # noqa: E402
from torchmultimodal.modules.losses.albef import ImageTextContrastiveLoss  # noqa: E402
from torchmultimodal.modules.losses.contrastive_loss_with_temperature import (  # noqa: E402
    ContrastiveLossWithTemperature,
)
from torchmultimodal.modules.losses.flava import ITMLoss, MaskedPredictionLoss  # noqa: E402
from torchmultimodal.modules.losses.reconstruction_loss import ReconstructionLoss  # noqa: E402
from torchmultimodal.modules.losses.vqvae import CommitmentLoss  # noqa: E402


class _Towers(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.image, self.text = torch.nn.Linear(6, 4), torch.nn.Linear(5, 4)

    def found(self, image, text):
        layers = self.image(image), self.text(text)
        return [torch.nn.functional.normalize(found, dim=-1) for found in layers]


class _Contrastive(_Towers):
    def __init__(self):
        super().__init__()
        self.loss = ContrastiveLossWithTemperature()

    def forward(self, image, text):
        return self.loss(*self.found(image, text))


class _Distilled(_Towers):
    def __init__(self):
        super().__init__()
        self.loss = ImageTextContrastiveLoss()
        self.temperature = torch.nn.Parameter(torch.tensor(0.07))  # as the model it comes with holds it

    def forward(self, image, text, of_image, of_text):
        image, text = self.found(image, text)
        similar = image @ text.T / self.temperature
        return self.loss(similar, similar.T, of_image, of_text, alpha=0.4)


def _pairs():
    return torch.randn(4, 6), torch.randn(4, 5)


def contrastive():
    return _Contrastive(), _pairs()


def distilled():
    return _Distilled(), (*_pairs(), 5 * torch.randn(4, 4), 5 * torch.randn(4, 4))


class _Headed(torch.nn.Module):
    def __init__(self, loss):
        super().__init__()
        self.layer, self.head = torch.nn.Linear(6, 8), loss

    def forward(self, features, labels):
        return self.head(self.layer(features), labels).loss


def matched():
    return _Headed(ITMLoss(hidden_size=8)), (torch.randn(4, 5, 6), torch.tensor([1, 0, 1, 1]))


def masked_words():
    labels = torch.tensor([[-1, 7, -1, -1, 2], [3, -1, -1, -1, -1]])
    return _Headed(MaskedPredictionLoss(hidden_size=8, vocab_size=20)), (torch.randn(2, 5, 6), labels)


class _Patches(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer, self.loss = torch.nn.Linear(6, 12), ReconstructionLoss()

    def forward(self, features, patches, masked):
        return self.loss(self.layer(features), patches, masked)


def masked_patches():
    masked = torch.tensor([[1, 1, 0, 1, 1, 0, 1, 1], [0, 1, 1, 1, 0, 1, 1, 1]]).float()
    return _Patches(), (torch.randn(2, 8, 6), torch.rand(2, 8, 12), masked)


class _Codes(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.codebook = torch.nn.Conv2d(3, 4, 4, 4), Codebook(6, 4)
        self.decoder, self.loss = torch.nn.ConvTranspose2d(4, 3, 4, 4), CommitmentLoss()

    def forward(self, images):
        found = self.codebook(self.encoder(images))
        loss = torch.nn.functional.mse_loss(self.decoder(found.quantized), images)
        return loss + self.loss(found.quantized_flat, found.encoded_flat)


def codes():
    return _Codes(), (torch.rand(2, 3, 16, 16),)


class _Fused(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fusion = AttentionFusionModule({"image": 6, "text": 5}, 4)
        self.norms = torch.nn.Sequential(RMSNorm(4), torch.nn.Linear(4, 4), SimpleRMSNorm(4))

    def forward(self, image, text):
        return self.norms(self.fusion({"image": image, "text": text}))


def fused():
    return _Fused(), _pairs()
